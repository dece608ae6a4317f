// For each lane: the maximum number of waiting records in each minute of the last day. The samples are kept only in memory,
// because the console only draws a curve from them.

import type { WaitingSample } from '../contract/lanes.ts';
import type { Clock } from '../lib/clock.ts';
import type { OutboxLedger } from '../store/outbox/ledger.ts';

const LOOK_MS = 5000;
const SAMPLE_MS = 60_000;
const MAX_SAMPLES = 24 * 60;

export interface WaitingSamples {
  /** The samples of a lane, oldest first. Empty for an unknown lane. */
  listOf(laneId: number): readonly WaitingSample[];
  close(): void;
}

/** Starts sampling. Errors of the store go to `onFault`. */
export function openWaitingSamples(
  outbox: Pick<OutboxLedger, 'listLaneStatus'>,
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
