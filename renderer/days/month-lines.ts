// The rows of a month's printed summary, one per day and currency, and the exact sums. Pure.

import type { AmountSums } from '../../server/contract/amounts.ts';
import { type DayMoney, listMoney } from '../../server/contract/day-money.ts';
import type { DaySummary } from '../../server/contract/days.ts';
import { addUp } from './add-up.ts';

export interface MonthLine {
  readonly day: DaySummary;
  /** True for the first row of the day. Further rows of the day have only an amount. */
  readonly isFirst: boolean;
  /** The money in one currency; undefined if the day has no amounts. */
  readonly amount: DayMoney | undefined;
}

export function listMonthLines(days: readonly DaySummary[]): readonly MonthLine[] {
  return days.flatMap((day): MonthLine[] => {
    const lines = listMoney(day.amounts, day.declaredAmounts);
    if (lines.length === 0) return [{ day, isFirst: true, amount: undefined }];
    return lines.map((amount, index) => ({ day, isFirst: index === 0, amount }));
  });
}

export interface DaySums {
  readonly here: number;
  readonly amounts: AmountSums;
}

export function sumDays(days: readonly DaySummary[]): DaySums {
  return { here: days.reduce((sum, { here }) => sum + here, 0), amounts: addUp(days.map(({ amounts }) => amounts)) };
}
