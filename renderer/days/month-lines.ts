// The lines of a month's printed summary: one per day and currency, and the exact sums. Pure.

import type { DaySummary } from '../../server/contract/days.ts';
import { formatDecimal, parseDecimal } from '../../server/lib/decimal.ts';
import { hasSum } from '../model/amount-sums.ts';

export interface MonthLine {
  readonly day: DaySummary;
  /** Whether this is the first line of the day. Further lines of the day have only an amount. */
  readonly isFirst: boolean;
  /** The amounts in one currency; undefined if the day has no amounts. */
  readonly amount:
    | {
        readonly currency: string | null;
        /** The sum of the records; null if it is unknown. */
        readonly here: string | null;
        readonly declared: string | null;
        readonly difference: string | null;
        /** The number of records that are not in `here`. */
        readonly withoutAmount: number;
      }
    | undefined;
}

export function listMonthLines(days: readonly DaySummary[]): readonly MonthLine[] {
  return days.flatMap((day): MonthLine[] => {
    const { amounts, declaredAmounts } = day;
    const currencies = new Set([...(amounts ?? []), ...declaredAmounts].map(({ currency }) => currency));
    const lines = [...currencies].map((currency, index): MonthLine => {
      const here = amounts?.find((each) => each.currency === currency);
      const declared = declaredAmounts.find((each) => each.currency === currency);
      return {
        day,
        isFirst: index === 0,
        amount: {
          currency,
          here: here !== undefined && hasSum(here) ? here.value : null,
          declared: declared?.declared ?? null,
          difference: declared?.difference ?? null,
          withoutAmount: here?.withoutAmount ?? 0,
        },
      };
    });
    return lines.length === 0 ? [{ day, isFirst: true, amount: undefined }] : lines;
  });
}

export interface MonthSums {
  readonly here: number;
  /** `value` is null if the sum of one day is unknown. */
  readonly amounts: readonly { readonly currency: string | null; readonly value: string | null }[];
  readonly withoutAmount: number;
}

export function sumMonth(days: readonly DaySummary[]): MonthSums {
  const isKnown = days.every(({ amounts }) => amounts !== null);
  const all = days.flatMap(({ amounts }) => amounts ?? []);
  const amounts = [...Map.groupBy(all.filter(hasSum), ({ currency }) => currency)].map(([currency, sums]) => {
    const values = sums.map(({ value }) => parseDecimal(value));
    const places = Math.max(...sums.map(({ value }) => value.split('.')[1]?.length ?? 0));
    const sum = values.reduce((total: bigint | undefined, value) => {
      return total === undefined || value === undefined ? undefined : total + value;
    }, 0n);
    return { currency, value: !isKnown || sum === undefined ? null : formatDecimal(sum, places) };
  });
  return {
    here: days.reduce((sum, { here }) => sum + here, 0),
    amounts,
    withoutAmount: all.reduce((sum, { withoutAmount }) => sum + withoutAmount, 0),
  };
}
