// The slices of an act about records, one after the other, with time in between for what tills bring.

import { setTimeout as delay } from 'node:timers/promises';

import { GatewayError } from '../../../errors.ts';
import type { ActResult } from '../../outbox/ledger.ts';
import type { ActPage, ActSlice, ActStep, BegunAct } from './record-act.ts';

/**
 * How long the lock stays free between two slices: as long as the slice took, between these. SQLite hands it to nobody: who
 * waits for it looks again after 25 ms at the most, 50 once it has waited for 78 ms and 100 from 128 ms on. So a gateway beside
 * a command finds it free in the first pause, however slow the disk is.
 */
const PAUSE_MS = { least: 25, most: 250 };
/** How often a slice is tried that finds the lock taken; each time it has waited for it for a second. */
const MAX_TRIES = 30;

export interface SlicedActParts {
  readonly begin: () => Promise<BegunAct | undefined>;
  readonly plan: (begun: BegunAct) => Promise<ActStep[]>;
  readonly readPage: (begun: BegunAct, step: ActStep, after: number) => Promise<ActPage>;
  /** Resolves, once the slice is on disk, to how many records it has moved. */
  readonly move: (begun: BegunAct, slice: ActSlice) => Promise<number>;
}

/** Does an act to its end. What it rejects with has cut it off: what was moved before stays moved and is noted as such. */
export async function performSlicedAct({ begin, plan, readPage, move }: SlicedActParts): Promise<ActResult> {
  const begun = await begin();
  if (begun === undefined) return { kind: 'unknown lane' };
  const steps = await plan(begun);
  let moved = 0;
  for (const [n, step] of steps.entries()) {
    let page: ActPage = { recordIds: [], last: step.after, hasMore: true };
    while (page.hasMore) {
      page = await readPage(begun, step, page.last);
      const isLast = !page.hasMore && n === steps.length - 1;
      if (page.recordIds.length === 0 && !isLast) continue;
      const slice = { recordIds: page.recordIds, step, moved, isLast };
      const beganAt = performance.now();
      moved += await patiently(() => move(begun, slice));
      if (isLast) break;
      await delay(Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, performance.now() - beganAt)));
    }
  }
  return { kind: 'done', records: moved };
}

/** A slice competes with all that tills bring, on a slow disk for long; an act that stopped half way would be a nuisance. */
async function patiently<T>(work: () => Promise<T>, tries = MAX_TRIES): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (tries === 1 || !(error instanceof GatewayError) || error.code !== 'store_busy') throw error;
  }
  await delay(PAUSE_MS.least);
  return patiently(work, tries - 1);
}
