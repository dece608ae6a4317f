// Calculates weeks and months, and the period before each. Dates are YYYY-MM-DD. Pure.

import { Temporal } from 'temporal-polyfill';

export type Unit = 'week' | 'month';

/** A range of days. `from` and `to` are both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The week or month that contains `date`. `weekStart` is from 1 (Monday) to 7 (Sunday). */
export function periodAt(unit: Unit, date: string, weekStart: number): Period {
  const day = Temporal.PlainDate.from(date);
  if (unit === 'month') {
    const first = day.with({ day: 1 });
    return { from: first.toString(), to: first.add({ months: 1 }).subtract({ days: 1 }).toString() };
  }
  const first = day.subtract({ days: (day.dayOfWeek - weekStart + 7) % 7 });
  return { from: first.toString(), to: first.add({ days: 6 }).toString() };
}

/** Moves a period by a number of weeks or months. A negative `by` moves it back. */
export function movePeriod(unit: Unit, { from }: Period, by: number, weekStart: number): Period {
  const first = Temporal.PlainDate.from(from).add(unit === 'month' ? { months: by } : { weeks: by });
  return periodAt(unit, first.toString(), weekStart);
}
