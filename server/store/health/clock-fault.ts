// Judges whether this machine's clock is wrong. Detects only a clock that is behind: it shows a time before the build of the
// program, or before the arrival of the newest record.

import type { ClockFault } from '../../contract/machine.ts';

/** Maximum difference between two clocks that is not a fault. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * Returns the clock's fault, or null without a fault. All times are in epoch milliseconds. `newestAt` is the arrival time of
 * the newest record, or null without records. Records whose arrival time is known to be wrong do not count.
 */
export function judgeClock(now: number, builtAt: number, newestAt: number | null): ClockFault | null {
  if (now < builtAt) return { code: 'before_build', now, earliest: builtAt };
  if (newestAt !== null && now < newestAt - CLOCK_TOLERANCE_MS)
    return { code: 'before_newest', now, earliest: newestAt };
  return null;
}

/** Whether two clocks agree. A tolerance of minutes is enough, because a wrong clock is often wrong by whole hours or days. */
export function isSameTime(one: number, other: number): boolean {
  return Math.abs(one - other) <= CLOCK_TOLERANCE_MS;
}
