// Judges whether a till has fallen silent, by the number of sales it usually makes in the time since its last call. The result
// is an estimate that states its certainty.

import type { Silence } from '../../../contract/overview.ts';
import type { Range } from '../../records/ledger.ts';
import type { Habits } from './habit.ts';

const MIN_SILENCE_MS = 15 * 60_000;
/**
 * Minimum numbers of usual sales that a till misses before its silence is likely, or almost certain. In a test with half a year
 * of sales of a real bakery, a limit of eight gave one false alarm a week. A limit of twelve gave none.
 */
const LIKELY_FROM = 8;
const CERTAIN_FROM = 12;
/** A till counts as closed after this many quarter hours without usual sales. */
const CLOSED_QUARTERS = 4;

/**
 * Judges whether a till has fallen silent by `now`; times are in epoch milliseconds. The answer is never `almost certain` if no
 * till of the store has called today, because that looks like a holiday.
 */
export function judgeSilence(
  { quarterAt, expected }: Habits,
  till: { readonly id: number; readonly lastAt: number | null },
  now: number,
  hasStoreCalled: boolean,
): Silence | null {
  const usual = expected.get(till.id);
  const quarter = quarterAt(now / 1000);
  const since = till.lastAt;
  if (usual === undefined || quarter === undefined || since === null || now - since < MIN_SILENCE_MS) return null;
  const opening = listOpenings(usual).find(({ from, to }) => from <= quarter && quarter < to);
  if (opening === undefined) return null;
  const missed = sumBetween(usual, Math.max(opening.from, quarterAt(since / 1000) ?? 0), quarter);
  if (missed < LIKELY_FROM) return null;
  return { since, sureness: missed >= CERTAIN_FROM && hasStoreCalled ? 'almost certain' : 'likely' };
}

/** Lists when a till is usually open, in quarter hours of the day. */
function listOpenings(usual: readonly number[]): Range[] {
  const openings: { from: number; to: number }[] = [];
  for (const [quarter, sales] of usual.entries()) {
    if (sales === 0) continue;
    const last = openings.at(-1);
    if (last !== undefined && quarter - last.to < CLOSED_QUARTERS) last.to = quarter + 1;
    else openings.push({ from: quarter, to: quarter + 1 });
  }
  return openings;
}

/** Sums the usual sales between two times of day. A quarter hour that is only partly between them counts in proportion. */
function sumBetween(usual: readonly number[], from: number, to: number): number {
  return usual.reduce((sum, sales, at) => sum + sales * Math.max(0, Math.min(to, at + 1) - Math.max(from, at)), 0);
}
