// Months and years of the calendar as they are laid out: days are YYYY-MM-DD, months YYYY-MM. Pure.

import { addDays } from '../../server/lib/calendar.ts';

export function monthOf(date: string): string {
  return date.slice(0, 7);
}

export function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}

/** The month so many months after another one. */
export function addMonths(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const sum = year * 12 + number - 1 + months;
  return `${String(Math.floor(sum / 12)).padStart(4, '0')}-${String((sum % 12) + 1).padStart(2, '0')}`;
}

export function monthsOf(year: number): readonly string[] {
  return Array.from({ length: 12 }, (_, index) => addMonths(`${String(year).padStart(4, '0')}-01`, index));
}

export interface Dates {
  readonly from: string;
  /** Included. */
  readonly to: string;
}

export function daysOfMonth(month: string): Dates {
  return { from: `${month}-01`, to: addDays(`${addMonths(month, 1)}-01`, -1) };
}

/** Of some days those that are not after a last one; undefined where there are none. */
export function until({ from, to }: Dates, last: string): Dates | undefined {
  return from > last ? undefined : { from, to: to < last ? to : last };
}

export function countDays({ from, to }: Dates): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
}

/** The weeks of a month; null for a day that is of another one. A week starts on 1, Monday, … or 7, Sunday. */
export function weeksOf(month: string, weekStart: number): (string | null)[][] {
  const { from, to } = daysOfMonth(month);
  const weekday = new Date(`${from}T00:00:00Z`).getUTCDay();
  const before = (weekday - weekStart + 7) % 7;
  const days = countDays({ from, to });
  return Array.from({ length: Math.ceil((before + days) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (__, column) => {
      const index = week * 7 + column - before;
      return index < 0 || index >= days ? null : addDays(from, index);
    }),
  );
}

/** The day that a week starts on where people write like this; Monday, where the browser doesn't know. */
export function weekStartOf(locale: string): number {
  const it = new Intl.Locale(locale) as { getWeekInfo?: () => { firstDay: number } };
  return it.getWeekInfo?.().firstDay ?? 1;
}
