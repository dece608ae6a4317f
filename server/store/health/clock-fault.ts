// Whether this machine's clock is wrong, as far as that shows.

import type { ClockFault } from '../../contract/machine.ts';

/** Smaller clock corrections are ignored. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** Epoch milliseconds. `newestAt` is when the newest record arrived whose time is believed; null where there is none. */
export function judgeClock(now: number, builtAt: number, newestAt: number | null): ClockFault | null {
  if (now < builtAt) return { code: 'before_build', now, earliest: builtAt };
  if (newestAt !== null && now < newestAt - CLOCK_TOLERANCE_MS)
    return { code: 'before_newest', now, earliest: newestAt };
  return null;
}

/** Whether two clocks show the same, in epoch milliseconds. Exact, as clocks are often wrong by whole hours or days. */
export function isSameTime(one: number, other: number): boolean {
  return Math.abs(one - other) <= CLOCK_TOLERANCE_MS;
}
