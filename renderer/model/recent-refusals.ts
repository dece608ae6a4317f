// What was refused so lately that a person is to look at it: the rail knows it on every screen.

import type { RefusalGroup } from '../../server/contract/records.ts';

const RECENT_MS = 60 * 60_000;

/** How many there are. */
export function countRecent(groups: readonly RefusalGroup[], now: number): number {
  return groups.filter(({ lastAt }) => now - lastAt < RECENT_MS).length;
}
