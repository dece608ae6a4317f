// Carries out an act about records, such as "send again". It may be about millions of records. One transaction for all of them
// would make tills wait for seconds. Therefore:
//
// 1. begin (record-act-move.ts): the act is noted in the log of acts, with no records moved so far.
// 2. plan (record-act-plan.ts): the act becomes steps. Each step is read page by page, without the lock that tills need.
// 3. move (record-act-move.ts): one transaction moves the records of a page, updates the lane's counts, and stores how many
// records have moved so far. Then tills have their turn.
//
// If an act is interrupted, every slice is either stored completely or not at all, and the log has the right number. Repeating
// the act moves the rest.

import { setTimeout as delay } from 'node:timers/promises';

import { GatewayError } from '../../../errors.ts';
import type { ActResult } from '../../outbox/ledger.ts';
import type { ActSlice, ReportedAct } from './record-act-move.ts';
import type { ActPage, ActStep } from './record-act-plan.ts';

/**
 * Shortest and longest pause between two slices, during which the lock is free. Within these limits, the pause lasts as long as
 * the slice took. SQLite has no queue for the lock: a waiting process tries again every 25 ms. After 78 ms, it tries every 50
 * ms, and after 128 ms every 100 ms. So a gateway that waits for a command gets the lock in the first pause, however slow the
 * disk is.
 */
const PAUSE_MS = { min: 25, max: 250 };
/** Maximum attempts to move a slice while another process has the lock. Each attempt waits a second for the lock. */
const MAX_ATTEMPTS = 30;

/** The stages of one act. */
export interface RecordActStages {
  /** Resolves to undefined if the lane does not exist. */
  readonly begin: () => Promise<ReportedAct | undefined>;
  readonly plan: (begun: ReportedAct) => Promise<ActStep[]>;
  readonly readPage: (begun: ReportedAct, step: ActStep, after: number) => Promise<ActPage>;
  /** Moves a slice and reports it. Resolves to the number of records moved, once they are on disk. */
  readonly move: (begun: ReportedAct, slice: ActSlice) => Promise<number>;
}

/** Carries out an act. If it rejects, the slices moved so far stay moved, and the log says how many records they had. */
export async function performRecordAct({ begin, plan, readPage, move }: RecordActStages): Promise<ActResult> {
  const begun = await begin();
  if (begun === undefined) return { kind: 'unknown lane' };
  const steps = await plan(begun);
  let moved = 0;
  for await (const page of listPages(steps, (step, after) => readPage(begun, step, after))) {
    const slice: ActSlice = { ...page, moved };
    const beganAt = performance.now();
    moved += await retryWhileBusy(() => move(begun, slice));
    if (!slice.isLast) await pause(performance.now() - beganAt);
  }
  return { kind: 'done', records: moved };
}

/**
 * Reads the pages of all steps in order, each only when the caller asks for it. Skips empty pages, except the last page: it
 * ends the act.
 */
async function* listPages(
  steps: readonly ActStep[],
  readPage: (step: ActStep, after: number) => Promise<ActPage>,
): AsyncGenerator<Omit<ActSlice, 'moved'>> {
  for (const step of steps) {
    let page: ActPage = { recordIds: [], readUpTo: step.after, hasMore: true };
    while (page.hasMore) {
      page = await readPage(step, page.readUpTo);
      const isLast = !page.hasMore && step === steps.at(-1);
      if (page.recordIds.length > 0 || isLast) yield { recordIds: page.recordIds, step, isLast };
    }
  }
}

function pause(sliceMs: number): Promise<void> {
  return delay(Math.min(PAUSE_MS.max, Math.max(PAUSE_MS.min, sliceMs)));
}

/**
 * Repeats `work` while another process holds the lock. Otherwise the act would stop half-way, and a person would have to repeat
 * it.
 */
async function retryWhileBusy<T>(work: () => Promise<T>, attempts = MAX_ATTEMPTS): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (attempts === 1 || !(error instanceof GatewayError) || error.code !== 'store_busy') throw error;
  }
  await delay(PAUSE_MS.min);
  return retryWhileBusy(work, attempts - 1);
}
