// Reconciles every journal automatically. Each journal has one worker, which runs requested and due checks one after the other.
// An upstream therefore gets one query at a time.

import { randomUUID } from 'node:crypto';

import { ACTORS } from '../contract/codes.ts';
import type { OpenDispatcher } from '../forward/connection.ts';
import type { QueryPauses } from '../forward/query-pause.ts';
import { MAX_PAGE_BYTES } from '../forward/upstream-query.ts';
import { addDays } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import { listStoreDays, storeDayAt } from '../store-day.ts';
import type { OpenCheck } from '../store/checks/ledger.ts';
import type { Store } from '../store/store.ts';
import type { NewVerdict } from '../store/verdicts/ledger.ts';
import { askFirst } from './ask-first.ts';
import { NoUpstreamError, openUpstreamSide } from './ask.ts';
import { runCheck } from './check.ts';
import { findAdministration, findCurrentLane, findJudgedDate, readFacts } from './facts.ts';
import { HURRY } from './pause.ts';
import { openTurn } from './progress.ts';
import { LOOK_MS, schedule } from './schedule.ts';

export interface ReconcilerParts {
  readonly store: Store;
  readonly openDispatcher: OpenDispatcher;
  readonly clock: Clock;
  /** Knows how long queries must wait because an upstream asked for a pause. */
  readonly queryPauses?: QueryPauses | undefined;
  /** Returns a random number from 0 to 1, for back-off times. */
  readonly random?: () => number;
  /** Called when a verdict was appended. */
  readonly onVerdict: (verdict: NewVerdict) => void;
  readonly onFault: (doing: string, error: unknown) => void;
}

export interface Reconciler {
  /** Stops all queries. An interrupted check resumes after a restart. */
  close(): Promise<void>;
}

/** Limits of the connection for queries. */
const ASK_LIMITS = {
  connections: 1,
  connectTimeoutMs: 5000,
  answerTimeoutMs: 30_000,
  maxAnswerBytes: MAX_PAGE_BYTES,
};

/** Maximum age of days that are checked automatically. */
const LOOK_BACK_DAYS = 400;
/**
 * The name under which the gateway takes turns to query. The name is constant, so that a restarted gateway still has its turn.
 */
const GATEWAY = 'gateway';
/** Delay of the first automatic check after a start. */
const FIRST_LOOK_MS = 60_000;
/** Delay before a retry after the store failed. */
const RETRY_MS = 60_000;

export function openReconciler(parts: ReconcilerParts): Reconciler {
  const { store, openDispatcher, clock, queryPauses, random = Math.random, onVerdict, onFault } = parts;
  const closing = new AbortController();
  const { signal } = closing;
  const beginAt = clock.monotonic() + FIRST_LOOK_MS;
  const workers = new Map<number, Worker>();

  function open(journalId: number): Worker {
    return openWorker(journalId, {
      store,
      clock,
      onFault,
      signal,
      beginAt,
      async askFirst(hurry) {
        const lane = findCurrentLane(store, journalId);
        if (lane === undefined || lane.asksUpTo === null || lane.isRestored || lane.upstream === null) return;
        const dispatcher = openDispatcher(ASK_LIMITS);
        try {
          const upstream = openUpstreamSide({
            dispatcher,
            clock,
            queryPauses,
            random,
            signal,
            hurry,
            upstream: () => findCurrentLane(store, journalId)?.upstream ?? undefined,
            takeTurn: openTurn(journalId, { store, clock, holder: GATEWAY, signal }),
            onSilence: async () => {},
            onAnswer() {},
          });
          await askFirst(lane, { store, clock, upstream });
        } catch (error) {
          if (!(error instanceof NoUpstreamError)) throw error;
        } finally {
          await dispatcher.destroy();
        }
      },
      async run(check, hurry) {
        const dispatcher = openDispatcher(ASK_LIMITS);
        try {
          await runCheck(check, {
            store,
            dispatcher,
            clock,
            queryPauses,
            random,
            holder: GATEWAY,
            isForwarding: true,
            signal,
            hurry,
            onVerdict,
          });
        } finally {
          await dispatcher.destroy();
        }
      },
    });
  }

  function look(): void {
    if (signal.aborted) return;
    for (const { journalId } of store.outbox.lanes()) {
      const worker = workers.get(journalId) ?? open(journalId);
      workers.set(journalId, worker);
      worker.wake();
    }
  }
  // Reacts to changed settings, and to checks that another process has requested.
  store.watch({ setupChanged: look, checkRequested: (journalId) => workers.get(journalId)?.wake() });
  look();

  return {
    async close() {
      closing.abort(new Error('the gateway stops'));
      await Promise.all([...workers.values()].map((worker) => worker.ended()));
      await store.checks
        .leaveTurns(GATEWAY)
        .catch((error: unknown) => onFault('leaving the turn to query an upstream', error));
    },
  };
}

/** Runs requested checks one after the other, in a process that does not forward records. */
export async function runAsked(
  checks: readonly OpenCheck[],
  {
    store,
    openDispatcher,
    clock,
    signal,
  }: Pick<ReconcilerParts, 'store' | 'openDispatcher' | 'clock'> & { readonly signal: AbortSignal },
): Promise<void> {
  const holder = randomUUID();
  const dispatcher = openDispatcher(ASK_LIMITS);
  try {
    for (const check of checks)
      await runCheck(check, {
        store,
        dispatcher,
        clock,
        random: Math.random,
        holder,
        isForwarding: false,
        signal,
        onVerdict() {},
      });
  } finally {
    await dispatcher.destroy();
    await store.checks.leaveTurns(holder);
  }
}

interface Worker {
  /** Call it when there may be a check to run. */
  wake(): void;
  /** Resolves when no check is running. */
  ended(): Promise<void>;
}

interface WorkerParts extends Pick<ReconcilerParts, 'store' | 'clock' | 'onFault'> {
  readonly signal: AbortSignal;
  /** Monotonic time in milliseconds before which no automatic check starts. */
  readonly beginAt: number;
  /** After a restore, asks the upstream for the waiting records of the backup. Otherwise does nothing. */
  readonly askFirst: (hurry: EventTarget) => Promise<void>;
  readonly run: (check: OpenCheck, hurry: EventTarget) => Promise<void>;
}

function openWorker(
  journalId: number,
  { store, clock, onFault, signal, beginAt, askFirst: ask, run }: WorkerParts,
): Worker {
  let working: Promise<void> | undefined;
  let isWoken = false;
  /** Epoch milliseconds before which no automatic check is due. */
  let dueAt = -Infinity;
  let cancel = (): void => {};
  const hurry = new EventTarget();

  /** Runs all requested and due checks. Resolves to the time at which to look for checks again, in epoch milliseconds. */
  async function work(): Promise<number> {
    for (;;) {
      isWoken = false;
      await ask(hurry);
      const check = await nextCheck();
      if (typeof check === 'number') {
        if (!isWoken) return check;
      } else {
        await run(check, hurry);
        dueAt = -Infinity;
      }
    }
  }

  /**
   * Returns the next requested check. If no check was requested, returns a due check. If no check is due, returns when to look
   * again, in epoch milliseconds.
   */
  async function nextCheck(): Promise<OpenCheck | number> {
    const open = (await store.checks.listOpen()).filter((each) => each.journalId === journalId);
    const asked = open.find(({ actor }) => actor !== ACTORS.gateway) ?? open[0];
    if (asked !== undefined) return asked;
    const now = clock.now();
    const early = beginAt - clock.monotonic();
    if (early > 0) return now + early;
    // After the clock was set back, `dueAt` may be far in the future. The second condition then ends the wait.
    if (now < dueAt && dueAt <= now + LOOK_MS) return dueAt;
    const due = await findDue(store, journalId, now);
    if (typeof due === 'number') return (dueAt = due);
    return store.checks.request({ journalId, ...due, resend: false, actor: ACTORS.gateway, askedAt: now });
  }

  function wake(): void {
    isWoken = true;
    hurry.dispatchEvent(new Event(HURRY));
    if (signal.aborted || working !== undefined) return;
    cancel();
    working = work()
      .catch((error: unknown) => {
        if (!signal.aborted) onFault('reconciling store days', error);
        return clock.now() + RETRY_MS;
      })
      .then((at) => {
        working = undefined;
        if (!signal.aborted) cancel = clock.after(Math.max(0, at - clock.now()), wake);
      });
  }

  return {
    wake,
    async ended() {
      cancel();
      await working;
    },
  };
}

/** Returns the automatic check that is due. If no check is due, returns when to look again, in epoch milliseconds. */
async function findDue(store: Store, journalId: number, now: number) {
  const administration = findAdministration(store, journalId);
  const later = now + LOOK_MS;
  if (administration === undefined) return later;
  const { dayRules } = administration;
  const today = storeDayAt(now, dayRules).date;
  const from = await findJudgedDate(store, journalId, addDays(today, -LOOK_BACK_DAYS));
  if (from === undefined || from > today) return later;
  const days = listStoreDays(from, today, dayRules);
  const found = schedule(await readFacts(store, journalId, days, now), today, now);
  return found.kind === 'due' ? found.check : found.at;
}
