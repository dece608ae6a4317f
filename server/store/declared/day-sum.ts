// The sum of a day's declared totals. A record may be declared at several levels, for example in the day's total and in its
// till's total, so one level is summed at a time.

import { type Amount, byCurrency } from '../../contract/amounts.ts';
import type { AmountComparison, AmountGap, DeclaredComparison } from '../../contract/declared-totals.ts';
import { readDecimal } from '../../lib/decimal.ts';
import { formatAmount } from '../amounts/currency.ts';
import type { DeclaredFacts, DeclaredMoney, DeclaredScope, DeclaredTotal } from './ledger.ts';

/**
 * Sums up a day: its declared total and the differences. Several levels may declare the same records, so only the level with
 * the greatest difference counts.
 */
export function sumUpDay(totals: readonly DeclaredComparison[]): DeclaredFacts {
  const greatest = (count: (total: DeclaredComparison) => number): number =>
    Math.max(...levelsOf(totals).map((level) => level.reduce((sum, total) => sum + count(total), 0)));
  return {
    total: sumDeclared(totals),
    more: greatest(({ records, here, ids }) => ids?.missingCount ?? Math.max(0, records - here)),
    less: greatest(({ records, here, ids }) => ids?.undeclaredCount ?? Math.max(0, here - records)),
    money: sumUpMoney(levelsOf(totals)),
  };
}

export const NO_MONEY: DeclaredMoney = { amounts: [], more: [], less: [], gap: null };

/** The kinds of gaps in order. If a day has several gaps, the gap whose kind comes first is shown. */
const GAP_KINDS: readonly AmountGap['kind'][] = ['filling', 'unreadable', 'no rule', 'no currency'];

function sumUpMoney(levels: readonly (readonly DeclaredComparison[])[]): DeclaredMoney {
  const counted = levels.find((level) => level.some(({ amounts }) => amounts.length > 0));
  if (counted === undefined) return NO_MONEY;
  const gaps = levels.flatMap((level) => level.map(({ amountGap }) => amountGap)).filter((gap) => gap !== null);
  const [gap = null] = gaps.toSorted((a, b) => GAP_KINDS.indexOf(a.kind) - GAP_KINDS.indexOf(b.kind));
  const lacking = levels.map((level) => level.reduce((sum, { amountGap }) => sum + countLacking(amountGap), 0));
  return {
    amounts: currenciesOf(counted).map((currency) => sumCurrency(counted, currency)),
    more: greatestOf(levels, (difference) => difference),
    less: greatestOf(levels, (difference) => -difference),
    gap: gap !== null && 'records' in gap ? { ...gap, records: Math.max(...lacking) } : gap,
  };
}

function countLacking(gap: AmountGap | null): number {
  return gap !== null && 'records' in gap ? gap.records : 0;
}

function currenciesOf(totals: readonly DeclaredComparison[]): (string | null)[] {
  const all = totals.flatMap(({ amounts }) => amounts.map(({ currency }) => currency));
  return [...new Set(all)].toSorted(byCurrency);
}

function ofCurrency(totals: readonly DeclaredComparison[], wanted: string | null): AmountComparison[] {
  return totals.flatMap(({ amounts }) => amounts.filter(({ currency }) => currency === wanted));
}

/** Sums the amounts of one currency. A sum is null if a part of it is null. */
function sumCurrency(totals: readonly DeclaredComparison[], currency: string | null): AmountComparison {
  const parts = ofCurrency(totals, currency);
  const sum = (values: readonly (string | null)[]): string | null => {
    const known = values.filter((value) => value !== null);
    if (known.length < values.length) return null;
    return formatAmount(
      known.reduce((total, value) => total + readDecimal(value), 0n),
      currency,
    );
  };
  const said = parts.flatMap(({ declared }) => declared ?? []);
  return {
    currency,
    declared: said.length === 0 ? null : sum(said),
    here: sum(parts.map(({ here }) => here)),
    difference: sum(parts.map(({ difference }) => difference)),
  };
}

/**
 * Sums the differences for which `side` returns more than zero, per level and currency. Returns the greatest sum of each
 * currency.
 */
function greatestOf(
  levels: readonly (readonly DeclaredComparison[])[],
  side: (difference: bigint) => bigint,
): Amount[] {
  const currencies = new Set(levels.flatMap(currenciesOf));
  return [...currencies].toSorted(byCurrency).flatMap((currency) => {
    const sums = levels.map((level) =>
      ofCurrency(level, currency).reduce((sum, { difference }) => {
        const value = difference === null ? 0n : side(readDecimal(difference));
        return value > 0n ? sum + value : sum;
      }, 0n),
    );
    const greatest = sums.reduce((one, other) => (other > one ? other : one), 0n);
    return greatest > 0n ? [{ currency, value: formatAmount(greatest, currency) }] : [];
  });
}

/**
 * Adds up the declared totals of a day at one level: the first level that has totals in force. The order is: whole day, till,
 * type, type and till. Null without totals.
 */
export function sumDeclared(totals: readonly Pick<DeclaredTotal, 'type' | 'tillId' | 'records'>[]): number | null {
  const counted = levelsOf(totals).find((level) => level.length > 0);
  return counted?.reduce((sum, { records }) => sum + records, 0) ?? null;
}

/** Groups totals by level: whole day, till, type, and type and till. */
function levelsOf<T extends DeclaredScope>(totals: readonly T[]): T[][] {
  const isOf = (hasType: boolean, hasTill: boolean): T[] =>
    totals.filter(({ type, tillId }) => (type !== null) === hasType && (tillId !== null) === hasTill);
  return [isOf(false, false), isOf(false, true), isOf(true, false), isOf(true, true)];
}
