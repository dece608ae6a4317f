// How much waited on each lane, the most of each minute for a day, in memory: a curve to look at, not a record.

import type { WaitingSample } from '../contract/lanes.ts';
import type { Clock } from '../lib/clock.ts';
import type { Outbox } from '../store/outbox/ledger.ts';

const LOOK_MS = 5000;
const SAMPLE_MS = 60_000;
const MAX_SAMPLES = 24 * 60;

export interface WaitingSamples {
  /** The oldest first; none for a lane that is not there. */
  listOf(laneId: number): readonly WaitingSample[];
  close(): void;
}

/** Samples from now on. What the store rejects with goes to `onFault`. */
export function openWaitingSamples(
  outbox: Pick<Outbox, 'listLaneStatus'>,
  clock: Clock,
  onFault: (error: unknown) => void,
): WaitingSamples {
  const samples = new Map<number, { at: number; waiting: number }[]>();
  let cancel = (): void => {};

  async function sample(): Promise<void> {
    const at = clock.now();
    for (const { id, waiting } of await outbox.listLaneStatus()) {
      const kept = samples.get(id) ?? [];
      samples.set(id, kept);
      const newest = kept.at(-1);
      if (newest !== undefined && Math.abs(at - newest.at) < SAMPLE_MS) {
        newest.waiting = Math.max(newest.waiting, waiting);
        continue;
      }
      kept.push({ at, waiting });
      if (kept.length > MAX_SAMPLES) kept.shift();
    }
  }
  function next(): void {
    cancel = clock.after(LOOK_MS, next);
    sample().catch(onFault);
  }
  next();
  return { listOf: (laneId) => samples.get(laneId) ?? [], close: () => cancel() };
}
