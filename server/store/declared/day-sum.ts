// The sum of a day's declared totals. A record may be declared at several levels, for example in the day's total and in its
// till's total, so one level is summed at a time.

import type { DeclaredComparison } from '../../contract/declared-totals.ts';
import type { DeclaredFacts, DeclaredScope, DeclaredTotal } from './ledger.ts';

/**
 * Sums up a day: its declared total and the differences. Levels declare the same records, so only the level with the greatest
 * difference counts.
 */
export function sumUpDay(totals: readonly DeclaredComparison[]): DeclaredFacts {
  const greatest = (count: (total: DeclaredComparison) => number): number =>
    Math.max(...levelsOf(totals).map((level) => level.reduce((sum, total) => sum + count(total), 0)));
  return {
    total: sumDeclared(totals),
    more: greatest(({ records, here, ids }) => ids?.missingCount ?? Math.max(0, records - here)),
    less: greatest(({ records, here, ids }) => ids?.undeclaredCount ?? Math.max(0, here - records)),
  };
}

/**
 * The sum of a day's totals in force, from the first level that has any: the whole day, then tills, then types, then types by
 * till. Null without totals.
 */
export function sumDeclared(totals: readonly Pick<DeclaredTotal, 'type' | 'tillId' | 'records'>[]): number | null {
  const counted = levelsOf(totals).find((level) => level.length > 0);
  return counted?.reduce((sum, { records }) => sum + records, 0) ?? null;
}

/** Totals of the whole day, by till, by type, and by type and till. */
function levelsOf<T extends DeclaredScope>(totals: readonly T[]): T[][] {
  const isOf = (hasType: boolean, hasTill: boolean): T[] =>
    totals.filter(({ type, tillId }) => (type !== null) === hasType && (tillId !== null) === hasTill);
  return [isOf(false, false), isOf(false, true), isOf(true, false), isOf(true, true)];
}
