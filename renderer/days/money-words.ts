// Texts about the difference between declared amounts and the sums of the records. Pure.

import type { TFunction } from 'i18next';

import { isZero } from '../../server/contract/amounts.ts';
import type { AmountComparison } from '../../server/contract/declared-totals.ts';
import type { Formats } from '../locales/format.ts';

export function differsInMoney({ difference }: Pick<AmountComparison, 'difference'>): boolean {
  return difference !== null && !isZero(difference);
}

/** True if the declared amount equals the sum of the records. False if the difference is unknown. */
export function agreesInMoney({ difference }: Pick<AmountComparison, 'difference'>): boolean {
  return difference !== null && isZero(difference);
}

/** Example: "€2.50 more declared". Call it only if `difference` is known and not zero. */
export function moneyDifference(
  { currency, difference }: Pick<AmountComparison, 'currency' | 'difference'>,
  t: TFunction<'day'>,
  formats: Pick<Formats, 'amount'>,
): string {
  const value = difference ?? '0';
  const isLess = value.startsWith('-');
  const amount = formats.amount({ currency, value: isLess ? value.slice(1) : value });
  return t(isLess ? 'moneyLess' : 'moneyMore', { amount });
}
