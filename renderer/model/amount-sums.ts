// Sums of amounts as text, one per currency. Pure.

import type { AmountSums } from '../../server/contract/amounts.ts';
import type { Formats } from '../locales/format.ts';

/** The sums, and the number of records without an amount. Undefined without any rule, and while old amounts are being read. */
export function sumsOf(
  amounts: AmountSums,
  formats: Pick<Formats, 'amount'>,
): { readonly words: readonly string[]; readonly without: number } | undefined {
  if (amounts === null || amounts.length === 0) return undefined;
  const without = amounts.reduce((sum, { withoutAmount }) => sum + withoutAmount, 0);
  // A currency in which nothing was readable has no sum to show.
  const shown = amounts.filter(({ value, withoutAmount }) => withoutAmount === 0 || !/^-?[0.]+$/.test(value));
  return { words: shown.map((sum) => formats.amount(sum)), without };
}
