// Reconciles in a test: a real store forwards over HTTP to a stand-in upstream or another gateway, and the test checks its
// days. Long waits end immediately.

import { onTestFinished } from 'vitest';

import type { DayView } from '../../server/contract/days.ts';
import { prepareConnections } from '../../server/forward/connection.ts';
import { openForwarder } from '../../server/forward/forwarder.ts';
import { prepareUpstreamClients } from '../../server/forward/upstream-client.ts';
import { type Clock, machineClock } from '../../server/lib/clock.ts';
import { runCheck } from '../../server/reconcile/check.ts';
import { type Days, openDays, type SignResult } from '../../server/reconcile/days.ts';
import type { OpenCheck } from '../../server/store/checks/ledger.ts';
import type { Key } from '../../server/store/setup/ledger.ts';
import type { Store } from '../../server/store/store.ts';
import type { NewVerdict } from '../../server/store/verdicts/ledger.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from './temp-store.ts';
import { openStandIn, type StandIn, type StandInOptions } from './upstream/stand-in.ts';

/** A clock on which a wait of more than a moment ends immediately. */
export interface HastyClock extends Clock {
  skip(ms: number): void;
}

const MOMENT_MS = 250;

export function startHastyClock(): HastyClock {
  let skipped = 0;
  return {
    now: () => Date.now() + skipped,
    monotonic: () => performance.now() + skipped,
    after(ms, work) {
      const isLong = ms > MOMENT_MS;
      const timer = setTimeout(
        () => {
          if (isLong) skipped += ms;
          work();
        },
        isLong ? 1 : ms,
      );
      return () => clearTimeout(timer);
    },
    skip: (ms) => void (skipped += ms),
  };
}

export interface Reconciling {
  readonly store: Store;
  readonly key: Key;
  readonly journalId: number;
  readonly clock: HastyClock;
  readonly days: Days;
  /** Every verdict that was appended, oldest first. */
  readonly verdicts: readonly NewVerdict[];
  /** Sells each id at its time, in ISO 8601. Resolves when every sale has been sent. */
  sell(sales: Readonly<Record<string, string>>): Promise<void>;
  /** Sells each id at its time on the earlier interface. Resolves when all sales are on disk. */
  sellEarlier(sales: Readonly<Record<string, string>>): Promise<void>;
  /** Sets the upstream of the earlier interface. */
  setEarlierUpstream(url: string): Promise<void>;
  /** Resolves when no sale waits in a lane with an upstream. */
  settle(): Promise<void>;
  /** Checks the store days from `from` to `to`. */
  check(from: string, to?: string, more?: Partial<Pick<OpenCheck, 'byIds' | 'resend' | 'actor'>>): Promise<void>;
  /** Resumes the unfinished checks. */
  goOn(signal?: AbortSignal): Promise<void>;
  day(date: string): Promise<DayView>;
}

/** The administration is "Bakery" in Amsterdam, in test mode. `upstream` is for the current interface; undefined sets none. */
export async function openReconciling(
  upstream: { readonly url: string; readonly token?: string } | undefined,
  { dataDir = temporaryFolder() }: { readonly dataDir?: string } = {},
): Promise<Reconciling> {
  const clock = startHastyClock();
  const store = await openTemporaryStore({ dataDir, now: clock.now });
  const key = await makeKey(store, 'Till 1', { mode: 'test' });
  await store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Amsterdam' }, 'test');
  const { journalId } = key;
  const lane = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;
  const token = upstream?.token ?? 'test_upstream';
  if (upstream !== undefined)
    await store.outbox.performAct(lane, { kind: 'set upstream', upstream: { url: upstream.url, token } }, 'test');
  const openDispatcher = prepareConnections({ upstreamProxy: undefined, upstreamCa: undefined });
  const onFault = (doing: string, error: unknown): never => {
    throw new Error(doing, { cause: error });
  };
  const forwarder = openForwarder({
    store,
    via: { headerOf: () => 'AAAAAAAAAAAAAAAA' },
    openClient: prepareUpstreamClients(openDispatcher),
    clock: { ...machineClock, now: clock.now },
    onState() {},
    onFault,
  });
  const dispatcher = openDispatcher({
    connections: 1,
    connectTimeoutMs: 5000,
    answerTimeoutMs: 30_000,
    maxAnswerBytes: 8 * 1024 * 1024,
  });
  onTestFinished(async () => {
    await forwarder.close();
    await dispatcher.destroy();
  });
  const verdicts: NewVerdict[] = [];
  const days = openDays({ store, clock });

  async function settle(): Promise<void> {
    for (;;) {
      const statuses = (await store.outbox.listLaneStatus()).filter(
        (each) => each.journalId === journalId && each.url !== null,
      );
      if (statuses.every(({ waiting }) => waiting === 0)) return;
      await new Promise((resolve) => void machineClock.after(10, () => resolve(undefined)));
    }
  }
  const run = (check: OpenCheck, signal: AbortSignal): Promise<void> =>
    runCheck(check, {
      store,
      dispatcher,
      clock,
      random: () => 0.5,
      holder: 'test',
      isForwarding: true,
      signal,
      onVerdict: (verdict) => void verdicts.push(verdict),
    });

  return {
    store,
    key,
    journalId,
    clock,
    days,
    verdicts,
    async sell(sales) {
      const arrivals = Object.entries(sales).map(([externalId, at]) =>
        arrivalOf(key, { externalId, soldAt: Date.parse(at) / 1000, receivedAt: Date.now() }),
      );
      await Promise.all(arrivals.map((arrival) => store.records.append(arrival)));
      await settle();
    },
    async sellEarlier(sales) {
      const arrivals = Object.entries(sales).map(([transactionid, timestamp]) => ({
        ...arrivalOf(key, {
          externalId: transactionid,
          type: 'transaction',
          soldAt: Date.parse(timestamp) / 1000,
          receivedAt: Date.now(),
        }),
        body: Buffer.from(JSON.stringify({ transactionid, timestamp, amount: 1 })),
        earlier: { version: 'v1', method: 'POST' } as const,
      }));
      await Promise.all(arrivals.map((arrival) => store.records.append(arrival)));
    },
    async setEarlierUpstream(url) {
      const to = { url, token };
      await store.outbox.performAct({ ...lane, interface: 'earlier' }, { kind: 'set upstream', upstream: to }, 'test');
    },
    settle,
    async check(from, to = from, { byIds = false, resend = false, actor = 'Ann' } = {}) {
      const wanted = { journalId, from, to, byIds, resend, actor, askedAt: clock.now() };
      await run(await store.checks.request(wanted), new AbortController().signal);
    },
    async goOn(signal = new AbortController().signal) {
      for (const check of await store.checks.listOpen()) await run(check, signal);
    },
    async day(date) {
      const view = await days.get(journalId, date);
      if (view === undefined) throw new Error(`there is no day ${date}`);
      return view;
    },
  };
}

/** Ann signs off a store day in its current state. */
export async function signAsItIs(days: Days, journal: number, date: string, note = 'counted'): Promise<SignResult> {
  const signedFor = (await days.get(journal, date))?.day.signedFor ?? '';
  return days.sign({ journal, date, kind: 'sign off', signedFor, name: 'Ann', note }, 'ann');
}

/** Opens a stand-in upstream that follows a script. It closes when the test ends. */
export async function openUpstream(script = 'accept', more: StandInOptions = {}): Promise<StandIn> {
  const standIn = await openStandIn({ script, ...more });
  onTestFinished(() => standIn.close());
  return standIn;
}

/** Ids of sales, each with its time. The sales are `apartS` seconds apart. */
export function salesOf(count: number, from: string, apartS = 60, prefix = 'S'): Record<string, string> {
  const first = Date.parse(from);
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `${prefix}-${i + 1}`,
      `${new Date(first + i * apartS * 1000).toISOString().slice(0, 19)}Z`,
    ]),
  );
}
