// Compares declared amounts with the sums of the stored records, per currency. If a sum may be wrong, the difference is null
// and not zero.

import { type Amount, type AmountSums, byCurrency, countWithoutAmount } from '../../contract/amounts.ts';
import type { AmountComparison, AmountGap } from '../../contract/declared-totals.ts';
import { readDecimal } from '../../lib/decimal.ts';
import { formatAmount } from '../amounts/currency.ts';

export interface ComparedAmounts {
  readonly amounts: readonly AmountComparison[];
  readonly amountGap: AmountGap | null;
}

/** The amounts of the stored records that a declared total covers. */
export interface HereAmounts {
  /** The sums of the records by currency; null while amounts of old records are still being read. */
  readonly sums: AmountSums;
  /** The number of records of types without a rule. Their amounts are unknown. */
  readonly unruled: number;
}

/**
 * Compares the amounts in every currency that was declared or that the stored records have. Sorted by currency. Empty if no
 * amounts were declared.
 */
export function compareAmounts(declared: readonly Amount[], { sums, unruled }: HereAmounts): ComparedAmounts {
  if (declared.length === 0) return { amounts: [], amountGap: null };
  const here = new Map((sums ?? []).map((sum) => [sum.currency, sum]));
  const known = new Map(declared.map(({ currency, value }) => [currency, value]));
  const currencies = [...new Set([...known.keys(), ...here.keys()])].toSorted(byCurrency);
  const unreadable = countWithoutAmount(sums ?? []);
  // An amount without a currency may belong to any currency, so no sum can be compared.
  const isMixed = currencies.length > 1 && currencies.includes(null);
  const amountGap: AmountGap | null =
    sums === null
      ? { kind: 'filling' }
      : unreadable + unruled > 0
        ? { kind: unreadable > 0 ? 'unreadable' : 'no rule', records: unreadable + unruled }
        : isMixed
          ? { kind: 'no currency' }
          : null;
  const isUnknown = (currency: string | null): boolean =>
    sums === null || unruled > 0 || isMixed || (here.get(currency)?.withoutAmount ?? 0) > 0;

  const amounts = currencies.map((currency): AmountComparison => {
    const said = known.get(currency) ?? null;
    if (isUnknown(currency)) return { currency, declared: said, here: null, difference: null };
    const sum = readDecimal(here.get(currency)?.value ?? '0');
    return {
      currency,
      declared: said,
      here: formatAmount(sum, currency),
      difference: formatAmount(readDecimal(said ?? '0') - sum, currency),
    };
  });
  const isNothing = ({ declared: said, difference }: AmountComparison): boolean =>
    said === null && difference !== null && readDecimal(difference) === 0n;
  return { amounts: amounts.filter((each) => !isNothing(each)), amountGap };
}
