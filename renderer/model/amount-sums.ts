// Shows sums of amounts as texts, one text per currency. Pure.

import { type AmountSums, countWithoutAmount, hasSum } from '../../server/contract/amounts.ts';
import type { Formats } from '../locales/format.ts';

/**
 * Returns the sums as texts, and the number of records whose amount cannot be read. Undefined if no type has a rule, or while
 * the gateway is still reading old amounts.
 */
export function sumsOf(
  amounts: AmountSums,
  formats: Pick<Formats, 'amount'>,
): { readonly words: readonly string[]; readonly without: number } | undefined {
  if (amounts === null || amounts.length === 0) return undefined;
  return { words: amounts.filter(hasSum).map((sum) => formats.amount(sum)), without: countWithoutAmount(amounts) };
}
