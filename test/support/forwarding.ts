// Forwarding in virtual time: a real store, real lanes, and an upstream whose answers the test decides.

import { rmSync } from 'node:fs';

import { onTestFinished } from 'vitest';

import { causeWithCommand } from '../../server/cause.ts';
import type { Interface, Status } from '../../server/contract/codes.ts';
import type { Answer } from '../../server/forward/answer.ts';
import { type Forwarder, openForwarder } from '../../server/forward/forwarder.ts';
import { openStore } from '../../server/store/open-store.ts';
import type { Act, WaitingRecord, LaneNote, LaneStatus, Upstream } from '../../server/store/outbox/ledger.ts';
import type { Outcome } from '../../server/store/records/ledger.ts';
import type { Key } from '../../server/store/setup/ledger.ts';
import { databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';
import type { Store } from '../../server/store/store.ts';
import { arrivalOf, makeKey, temporaryFolder } from './temp-store.ts';
import { startVirtualTime, type VirtualTime } from './virtual-time.ts';

/** An upstream's answer with this status. */
export function answered(status: number, more: Partial<Extract<Answer, { kind: 'answered' }>> = {}): Answer {
  return {
    kind: 'answered',
    status,
    retryAfterMs: undefined,
    isWebPage: false,
    isCut: false,
    excerpt: '',
    upstreamStatus: null,
    ...more,
  };
}

export interface Attempt {
  readonly id: string;
  /** The status that the gateway gave the record. */
  readonly status: Status;
  readonly body: string;
  readonly upstream: Upstream;
  /** The end point of the earlier interface, such as `v1/transaction`; undefined on the current interface. */
  readonly endPoint: string | undefined;
  /** When the attempt began, in monotonic milliseconds. */
  readonly at: number;
}

/** The upstream's reaction to an attempt. */
export interface Played {
  readonly answer: Answer;
  /** The delay of the answer; one millisecond by default. */
  readonly afterMs?: number;
  /** Whether the upstream keeps the record. Default: only if the status is 2xx. */
  readonly takes?: boolean;
  /** Milliseconds after which the upstream keeps the record. By default it does so when it answers. */
  readonly takesAfterMs?: number;
}

/** A row of the table of deliveries. */
export interface Delivery {
  readonly id: string;
  readonly status: Status;
  readonly state: string;
  readonly attempts: number;
  readonly answerStatus: number | null;
  readonly answer: string | null;
  readonly upstreamStatus: Status | null;
}

export interface Forwarding {
  readonly time: VirtualTime;
  readonly store: Store;
  /** Every attempt, oldest first. */
  readonly attempts: readonly Attempt[];
  /** Every reported state of any lane, oldest first. */
  readonly states: readonly LaneNote[];
  /** The ids that the upstream has kept, with the number of times it kept each. */
  readonly taken: ReadonlyMap<string, number>;
  /** Sets the upstream's reaction to the n-th attempt for an id. */
  play(upstream: (id: string, nth: number, attempt: Attempt) => Played): void;
  /** Adds records of the administration "Bakery", production. */
  sell(...ids: readonly string[]): Promise<void>;
  /** Adds one record with `object` as its content. */
  append(externalId: string, object?: unknown, administration?: string): Promise<Outcome>;
  /** Adds records of the earlier interface that came to an end point, such as `v1/transaction`. */
  sellAt(endPoint: string, ...ids: readonly string[]): Promise<void>;
  /** Adds an administration whose upstream is `https://{name}.test`. */
  addAdministration(name: string): Promise<void>;
  /**
   * The state of a production lane, by default that of the current interface. Its cause is the text that the command line
   * shows.
   */
  lane(administration?: string, by?: Interface): Promise<Omit<LaneStatus, 'cause'> & { readonly cause: string | null }>;
  act(act: Act, administration?: string, by?: Interface): Promise<void>;
  /** Every delivery, in the order in which the records arrived. */
  deliveries(): Delivery[];
  /** Delays every batch of records that the lane reads from now on. */
  delayPages(ms: number): void;
  /** Makes the next `count` attempts to save an end point's state fail. */
  failNotes(count: number): void;
  /** Delays every single record that the lane reads out of order from now on. */
  delayFinds(ms: number): void;
  restart(): Promise<void>;
  /** Closes the gateway, runs a command and opens the gateway again. */
  whileClosed(work: (store: Store) => Promise<unknown>): Promise<void>;
  /**
   * Stops like a killed process: data not yet on disk are lost. Requests in flight still reach the upstream, but their answers
   * are lost.
   */
  crash(): Promise<void>;
  /** Closes everything and removes the data; safe to call twice. The end of the test does this too. */
  close(): Promise<void>;
}

/** Ids that begin with `prefix`. */
export function ids(count: number, prefix = 'S'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`);
}

/** A fault that a test asked for. */
const FAULT = new Error('the disk does not take it');

/** Opens a store and its lanes, which are closed when the test ends. `openLanes` may be a broken variant. */
export async function openForwarding(
  random: () => number = () => 0.5,
  openLanes: typeof openForwarder = openForwarder,
): Promise<Forwarding> {
  const time = startVirtualTime();
  const dataDir = temporaryFolder();
  const attempts: Attempt[] = [];
  const states: LaneNote[] = [];
  const taken = new Map<string, number>();
  const sent = new Map<string, number>();
  const keys = new Map<string, Key>();
  let pageDelayMs = 0;
  let findDelayMs = 0;
  let notesToFail = 0;
  let upstream: Parameters<Forwarding['play']>[0] = () => ({ answer: answered(201) });
  let store: Store;
  let forwarder: Forwarder;
  /** The state of the running forwarder. After a crash its `isOver` is true, and that forwarder does nothing any more. */
  let life = { isOver: false };

  const send = (record: WaitingRecord, to: Upstream, signal: AbortSignal): Promise<Answer> => {
    const body = Buffer.from(record.body ?? []).toString();
    const { earlier } = record;
    const id = earlier === undefined ? idOf(body) : (new URLSearchParams(body).get('transactionid') ?? '');
    const endPoint = earlier && `${earlier.version}/${earlier.resource}`;
    const attempt = { id, status: record.status, body, upstream: to, endPoint, at: time.monotonic() };
    attempts.push(attempt);
    const nth = (sent.get(id) ?? 0) + 1;
    sent.set(id, nth);
    const { answer, afterMs = 1, takesAfterMs = afterMs, ...played } = upstream(id, nth, attempt);
    const takes = played.takes ?? (answer.kind === 'answered' && answer.status < 300);
    if (takes) time.after(takesAfterMs, () => void taken.set(id, (taken.get(id) ?? 0) + 1));
    return new Promise((resolve) => {
      const cancel = time.after(afterMs, () => {
        signal.removeEventListener('abort', giveUp);
        resolve(answer);
      });
      const giveUp = (): void => {
        cancel();
        resolve({ kind: 'unanswered', reason: 'given up' });
      };
      signal.addEventListener('abort', giveUp);
    });
  };

  async function open(): Promise<void> {
    store = await openStore({ dataDir, role: 'gateway', now: time.now, readSpace: async () => undefined });
    const opened = store;
    const mine = { isOver: false };
    life = mine;
    /** Runs work for the current forwarder. Never resolves if that forwarder crashes before the work has ended. */
    async function whileAlive<T>(work: () => Promise<T>): Promise<T> {
      const [done] = mine.isOver ? [] : await Promise.allSettled([time.track(work())]);
      if (mine.isOver || done === undefined) return new Promise(() => {});
      if (done.status === 'rejected') throw done.reason;
      return done.value;
    }
    forwarder = openLanes({
      via: { headerOf: () => 'AAAAAAAAAAAAAAAA' },
      store: {
        ...opened,
        outbox: {
          ...opened.outbox,
          async listWaiting(...args) {
            const page = await whileAlive(() => opened.outbox.listWaiting(...args));
            if (pageDelayMs > 0) await new Promise<void>((resolve) => void time.after(pageDelayMs, resolve));
            return page;
          },
          async findWaiting(...args) {
            const found = await whileAlive(() => opened.outbox.findWaiting(...args));
            if (findDelayMs > 0) await new Promise<void>((resolve) => void time.after(findDelayMs, resolve));
            return found;
          },
          settle: (...args) => whileAlive(() => opened.outbox.settle(...args)),
          noteLane: (...args) => whileAlive(() => opened.outbox.noteLane(...args)),
          noteEndPoint: (...args) =>
            whileAlive(() => (notesToFail-- > 0 ? Promise.reject(FAULT) : opened.outbox.noteEndPoint(...args))),
          forgetEndPoints: (...args) => whileAlive(() => opened.outbox.forgetEndPoints(...args)),
          holdsRecords: (...args) => whileAlive(() => opened.outbox.holdsRecords(...args)),
          noteReleased: (...args) => whileAlive(() => opened.outbox.noteReleased(...args)),
          performAct: (...args) => whileAlive(() => opened.outbox.performAct(...args)),
        },
      },
      openClient: () => ({
        send: (...args) => (mine.isOver ? new Promise(() => {}) : send(...args)),
        close: () => Promise.resolve(),
      }),
      clock: { ...time, after: (ms, work) => time.after(ms, () => mine.isOver || work()) },
      random,
      onState: (_, note) => void states.push(note),
      onFault(doing, error) {
        if (error === FAULT) return;
        throw new Error(doing, { cause: error });
      },
    });
  }

  async function act(wanted: Act, administration = 'Bakery', by: Interface = 'current'): Promise<void> {
    const result = await store.outbox.performAct({ administration, mode: 'production', interface: by }, wanted, 'test');
    if (result.kind !== 'done') throw new Error(result.kind);
  }

  async function addAdministration(
    name: string,
    url = `https://${name.toLowerCase().replace(' ', '-')}.test`,
  ): Promise<void> {
    keys.set(name, await makeKey(store, 'Till 1', { administration: name }));
    await act({ kind: 'set upstream', upstream: { url, token: 'prod_upstream' } }, name);
  }

  function append(externalId: string, object: unknown = {}, administration = 'Bakery'): Promise<Outcome> {
    const key = keys.get(administration);
    if (key === undefined) throw new Error(`there is no ${administration}`);
    return store.records.append({ ...arrivalOf(key, { externalId, object }), receivedAt: time.now() });
  }

  async function sellAt(endPoint: string, ...sold: readonly string[]): Promise<void> {
    const [version = '', resource = ''] = endPoint.split('/');
    const key = keys.get('Bakery');
    if (key === undefined) throw new Error('there is no Bakery');
    const arrivals = sold.map((id) => ({
      ...arrivalOf(key, { externalId: id, type: resource }),
      earlier: { version, method: 'GET' } as const,
      receivedAt: time.now(),
      body: Buffer.from(`transactionid=${id}`),
    }));
    await Promise.all(arrivals.map((arrival) => store.records.append(arrival)));
  }

  await open();
  await addAdministration('Bakery', 'https://upstream.test');

  const stop = async (): Promise<void> => {
    const closing = forwarder.close();
    await time.pass(2000);
    await closing;
    await store.close();
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= stop().finally(() => rmSync(dataDir, { recursive: true, force: true })));
  onTestFinished(close);
  return {
    time,
    get store() {
      return store;
    },
    attempts,
    states,
    taken,
    play: (script) => void (upstream = script),
    async sell(...sold) {
      await Promise.all(sold.map((id) => append(id)));
    },
    append,
    sellAt,
    addAdministration: (name) => addAdministration(name),
    async lane(wanted = 'Bakery', by = 'current') {
      await time.pass(0);
      const lane = (await store.outbox.listLaneStatus()).find(
        (each) => each.administration === wanted && each.mode === 'production' && each.interface === by,
      );
      if (lane === undefined) throw new Error('there is no lane');
      return { ...lane, cause: lane.cause && causeWithCommand(lane.cause, { data: '', lane: '' }) };
    },
    act,
    deliveries: () => listDeliveries(dataDir),
    delayPages: (ms) => void (pageDelayMs = ms),
    failNotes: (count) => void (notesToFail = count),
    delayFinds: (ms) => void (findDelayMs = ms),
    async restart() {
      await stop();
      await open();
    },
    async whileClosed(work) {
      await stop();
      const command = await openStore({ dataDir, role: 'command', now: time.now });
      await work(command);
      await command.close();
      await open();
    },
    async crash() {
      life.isOver = true;
      await store.close();
      await open();
    },
    close,
  };
}

function idOf(body: string): string {
  return (JSON.parse(body) as { external_id: string }).external_id;
}

function listDeliveries(dataDir: string): Delivery[] {
  const db = openDatabase(databasePath(dataDir), 'read');
  try {
    return db
      .prepare<[], Delivery>(`
      SELECT external_id AS id, status, state, attempts, answer_status AS answerStatus, answer, upstream_status AS upstreamStatus
      FROM deliveries JOIN records ON records.id = record_id ORDER BY record_id`)
      .all();
  } finally {
    db.close();
  }
}
