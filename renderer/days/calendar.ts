// Months and years as a calendar shows them: days are YYYY-MM-DD, months YYYY-MM. Pure.

import { Temporal } from 'temporal-polyfill';

export function monthOf(date: string): string {
  return date.slice(0, 7);
}

export function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}

export function addMonths(month: string, months: number): string {
  return Temporal.PlainYearMonth.from(month).add({ months }).toString();
}

export function monthsOf(year: number): readonly string[] {
  return Array.from({ length: 12 }, (_, index) => new Temporal.PlainYearMonth(year, index + 1).toString());
}

export interface Dates {
  readonly from: string;
  /** The last date of the range. The range includes this date. */
  readonly to: string;
}

export function daysOfMonth(month: string): Dates {
  return { from: `${month}-01`, to: `${month}-${Temporal.PlainYearMonth.from(month).daysInMonth}` };
}

/** Cuts a range of dates at `last`; undefined if the whole range is later. */
export function endingBy({ from, to }: Dates, last: string): Dates | undefined {
  return from > last ? undefined : { from, to: to < last ? to : last };
}

export function countDays({ from, to }: Dates): number {
  return Temporal.PlainDate.from(from).until(to).days + 1;
}

/** The weeks of a month; null for a day of another month. `weekStart` is 1 for Monday to 7 for Sunday. */
export function weeksOf(month: string, weekStart: number): (string | null)[][] {
  const first = Temporal.PlainDate.from(`${month}-01`);
  const before = (first.dayOfWeek - weekStart + 7) % 7;
  const days = first.daysInMonth;
  return Array.from({ length: Math.ceil((before + days) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (__, column) => {
      const index = week * 7 + column - before;
      return index < 0 || index >= days ? null : first.add({ days: index }).toString();
    }),
  );
}
