// The money of a store day by currency: the sum of the records, the declared amount and the difference. Pure.

import { type AmountSums, hasSum } from './amounts.ts';
import type { AmountComparison } from './declared-totals.ts';

/** The amounts of a day, or of some of its records, in one currency. */
export interface DayMoney {
  readonly currency: string | null;
  /** The sum of the records; null if it is unknown. */
  readonly here: string | null;
  readonly declared: string | null;
  /**
   * The declared amount minus `here`. Null if it is unknown, for example because amounts were declared for some of these records
   * only.
   */
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
    const value = here === undefined ? unlisted : hasSum(here) ? here.value : null;
    return {
      currency,
      here: value,
      declared: compared?.declared ?? null,
      // If the two sums differ, the amounts were declared for other records than `here` counts.
      difference: value !== null && compared?.here === value ? compared.difference : null,
      withoutAmount: here?.withoutAmount ?? 0,
    };
  });
}
