// Adds up the amounts of several store days or rows, exactly. Pure.

import { type AmountSum, type AmountSums, byCurrency, countWithoutAmount } from '../../server/contract/amounts.ts';
import { formatDecimal, readDecimal } from '../../server/lib/decimal.ts';

/** Adds up the sums of several days or rows, sorted by currency. Null if one of the sums is unknown. */
export function addUp(all: readonly AmountSums[]): AmountSums {
  if (all.includes(null)) return null;
  const sumsOf = Map.groupBy(
    all.flatMap((sums) => sums ?? []),
    ({ currency }) => currency,
  );
  return [...sumsOf]
    .map(([currency, sums]) => ({ currency, value: addDecimals(sums), withoutAmount: countWithoutAmount(sums) }))
    .toSorted((a, b) => byCurrency(a.currency, b.currency));
}

function addDecimals(sums: readonly AmountSum[]): string {
  const places = Math.max(...sums.map(({ value }) => value.split('.')[1]?.length ?? 0));
  return formatDecimal(
    sums.reduce((sum, { value }) => sum + readDecimal(value), 0n),
    places,
  );
}
