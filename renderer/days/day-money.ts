// The money of a store day by currency: the exact sum of the records, the declared amount and the difference. Pure.

import {
  type AmountSum,
  type AmountSums,
  byCurrency,
  countWithoutAmount,
  hasSum,
} from '../../server/contract/amounts.ts';
import type { AmountComparison } from '../../server/contract/declared-totals.ts';
import { formatDecimal, readDecimal } from '../../server/lib/decimal.ts';

/** The amounts of a day, or of some of its records, in one currency. */
export interface DayMoney {
  readonly currency: string | null;
  /** The sum of the records; null if it is unknown. */
  readonly here: string | null;
  readonly declared: string | null;
  readonly difference: string | null;
  /** The number of records without a readable amount. `here` leaves them out. */
  readonly withoutAmount: number;
}

export function listMoney(sums: AmountSums, declared: readonly AmountComparison[] = []): readonly DayMoney[] {
  const currencies = new Set([...(sums ?? []), ...declared].map(({ currency }) => currency));
  return [...currencies].map((currency) => {
    const here = sums?.find((each) => each.currency === currency);
    const compared = declared.find((each) => each.currency === currency);
    const unlisted = sums === null ? null : (compared?.here ?? null);
    return {
      currency,
      here: here === undefined ? unlisted : hasSum(here) ? here.value : null,
      declared: compared?.declared ?? null,
      difference: compared?.difference ?? null,
      withoutAmount: here?.withoutAmount ?? 0,
    };
  });
}

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
