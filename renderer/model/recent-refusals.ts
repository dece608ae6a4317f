// Refusals that need attention because they are recent. The rail counts them.

import type { RefusalGroup } from '../../server/contract/records.ts';

const RECENT_MS = 60 * 60_000;

/** The number of groups whose last refusal is recent. */
export function countRecent(groups: readonly RefusalGroup[], now: number): number {
  return groups.filter(({ lastAt }) => now - lastAt < RECENT_MS).length;
}
