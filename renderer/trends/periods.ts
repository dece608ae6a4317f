// Weeks and months, each beside the one before. Dates are YYYY-MM-DD. Pure.

import { Temporal } from 'temporal-polyfill';

export type Unit = 'week' | 'month';

/** Both ends are included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The week or month of a date. `weekStart` is 1 for Monday to 7 for Sunday. */
export function periodAt(unit: Unit, date: string, weekStart: number): Period {
  const day = Temporal.PlainDate.from(date);
  if (unit === 'month') {
    const first = day.with({ day: 1 });
    return { from: first.toString(), to: first.add({ months: 1 }).subtract({ days: 1 }).toString() };
  }
  const first = day.subtract({ days: (day.dayOfWeek - weekStart + 7) % 7 });
  return { from: first.toString(), to: first.add({ days: 6 }).toString() };
}

/** The period that lies `by` weeks or months later; earlier if `by` is negative. */
export function movePeriod(unit: Unit, { from }: Period, by: number, weekStart: number): Period {
  const first = Temporal.PlainDate.from(from).add(unit === 'month' ? { months: by } : { weeks: by });
  return periodAt(unit, first.toString(), weekStart);
}
