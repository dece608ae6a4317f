// Judges whether this machine's clock is wrong, as far as that shows.

import type { ClockFault } from '../../contract/machine.ts';

/** Smaller clock corrections are ignored. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/**
 * All times are in epoch milliseconds. `newestAt` is the arrival of the newest record with a believable time; null if there is
 * none.
 */
export function judgeClock(now: number, builtAt: number, newestAt: number | null): ClockFault | null {
  if (now < builtAt) return { code: 'before_build', now, earliest: builtAt };
  if (newestAt !== null && now < newestAt - CLOCK_TOLERANCE_MS)
    return { code: 'before_newest', now, earliest: newestAt };
  return null;
}

/** Whether two clocks agree. The tolerance is small, because clocks are often wrong by whole hours or days. */
export function isSameTime(one: number, other: number): boolean {
  return Math.abs(one - other) <= CLOCK_TOLERANCE_MS;
}
