// Forwarding in virtual time: a real store, real lanes, and an upstream that a test plays.

import type { Answer } from '../../server/forward/answer.ts';
import { type Forwarder, openForwarder } from '../../server/forward/forwarder.ts';
import type { WaitingRecord } from '../../server/store/delivery.ts';
import type { Upstream } from '../../server/store/lane.ts';
import { openStore, type Store } from '../../server/store/store.ts';
import { arrivalOf, makeKey, temporaryFolder } from './temp-store.ts';
import { startVirtualTime, type VirtualTime } from './virtual-time.ts';

/** An answer with this status. */
export function answered(status: number, more: Partial<Extract<Answer, { kind: 'answered' }>> = {}): Answer {
  return { kind: 'answered', status, retryAfterMs: undefined, excerpt: '', upstreamStatus: null, ...more };
}

export interface Attempt {
  readonly id: string;
  readonly upstream: Upstream;
  /** Monotonic. */
  readonly at: number;
}

export interface Forwarding {
  readonly time: VirtualTime;
  readonly store: Store;
  /** Every attempt, in order. */
  readonly attempts: readonly Attempt[];
  /** Ids that the upstream has taken in effect, and how often each was sent to it. */
  readonly taken: ReadonlyMap<string, number>;
  /** Plays the upstream: the answer, after so many milliseconds. `taken` is counted for 2xx, and where `take` says so. */
  play(upstream: (id: string, attempt: number) => { answer: Answer; afterMs?: number; takes?: boolean }): void;
  /** Adds records of the administration "Bakery", production. */
  sell(...ids: readonly string[]): Promise<void>;
  lane(): Promise<Awaited<ReturnType<Store['listLaneStatus']>>[number]>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openForwarding(random: () => number = () => 0.5): Promise<Forwarding> {
  const time = startVirtualTime();
  const dataDir = temporaryFolder();
  const attempts: Attempt[] = [];
  const taken = new Map<string, number>();
  const sent = new Map<string, number>();
  let upstream: Parameters<Forwarding['play']>[0] = () => ({ answer: answered(201) });
  let store: Store;
  let forwarder: Forwarder;

  const send = (record: WaitingRecord, to: Upstream, signal: AbortSignal): Promise<Answer> => {
    const id = idOf(record);
    attempts.push({ id, upstream: to, at: time.monotonic() });
    sent.set(id, (sent.get(id) ?? 0) + 1);
    const {
      answer,
      afterMs = 1,
      takes = answer.kind === 'answered' && answer.status < 300,
    } = upstream(id, sent.get(id) ?? 0);
    return new Promise((resolve) => {
      const cancel = time.after(afterMs, () => {
        if (takes) taken.set(id, (taken.get(id) ?? 0) + 1);
        resolve(answer);
      });
      signal.addEventListener('abort', () => {
        cancel();
        resolve({ kind: 'unanswered', reason: 'given up' });
      });
    });
  };

  async function open(): Promise<void> {
    store = await openStore({ dataDir, role: 'gateway', now: time.now });
    forwarder = openForwarder({
      store: {
        ...store,
        listWaiting: (...args) => time.track(store.listWaiting(...args)),
        settle: (...args) => time.track(store.settle(...args)),
        noteLane: (...args) => time.track(store.noteLane(...args)),
      },
      send,
      clock: time,
      random,
      onState() {},
      onFault(doing, error) {
        throw new Error(doing, { cause: error });
      },
    });
  }
  await open();
  const key = await makeKey(store!);
  await store!.performAct(
    { administration: 'Bakery', mode: 'production', interface: 'current' },
    { kind: 'set upstream', upstream: { url: 'https://upstream.test', token: 'prod_upstream' } },
    'test',
  );

  const close = async (): Promise<void> => {
    const closing = forwarder.close();
    await time.pass(2000);
    await closing;
    await store.close();
  };
  return {
    time,
    get store() {
      return store;
    },
    attempts,
    taken,
    play: (script) => void (upstream = script),
    async sell(...ids) {
      await Promise.all(
        ids.map((externalId) => store.append({ ...arrivalOf(key, { externalId }), receivedAt: time.now() })),
      );
    },
    async lane() {
      await time.pass(0);
      const [lane] = (await store.listLaneStatus()).filter(
        ({ mode, interface: by }) => mode === 'production' && by === 'current',
      );
      if (lane === undefined) throw new Error('there is no lane');
      return lane;
    },
    async restart() {
      await close();
      await open();
    },
    close,
  };
}

function idOf({ body = new Uint8Array() }: WaitingRecord): string {
  return (JSON.parse(Buffer.from(body).toString()) as { external_id: string }).external_id;
}
