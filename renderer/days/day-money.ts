// The money of a store day by currency: the exact sum of the records, the declared amount and the difference. Pure.

import { type AmountSum, type AmountSums, hasSum } from '../../server/contract/amounts.ts';
import type { AmountComparison } from '../../server/contract/declared-totals.ts';
import { formatDecimal, parseDecimal } from '../../server/lib/decimal.ts';

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

/** Adds up the sums of several days or rows. The result is null if one of the sums is unknown. */
export function addUp(all: readonly AmountSums[]): AmountSums {
  if (all.includes(null)) return null;
  const byCurrency = Map.groupBy(
    all.flatMap((sums) => sums ?? []),
    ({ currency }) => currency,
  );
  const sums = [...byCurrency].map(([currency, ofIt]) => ({
    currency,
    value: addDecimals(ofIt.map(({ value }) => value)),
    withoutAmount: ofIt.reduce((sum, { withoutAmount }) => sum + withoutAmount, 0),
  }));
  return sums.every((sum): sum is AmountSum => sum.value !== undefined) ? sums : null;
}

/** The sum of decimals; undefined if a value has more digits than a decimal can have. */
function addDecimals(values: readonly string[]): string | undefined {
  const decimals = values.map(parseDecimal);
  if (!decimals.every((value) => value !== undefined)) return undefined;
  const places = Math.max(...values.map((value) => value.split('.')[1]?.length ?? 0));
  return formatDecimal(
    decimals.reduce((sum, value) => sum + value, 0n),
    places,
  );
}
