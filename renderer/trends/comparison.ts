// Compares the sales of a period with the sales of the period before. Also says on which days tills sold, and when lanes did
// not run. Pure.

import type { Outage } from '../../server/contract/lanes.ts';
import type { TrendsView } from '../../server/contract/trends.ts';
import type { Period } from './periods.ts';

/**
 * `sales` is for a day of the period, `before` for the day at the same position in the period before. Null if the day is in the
 * future or does not exist.
 */
export interface Pair {
  readonly sales: number | null;
  readonly before: number | null;
}

export interface Comparison {
  /** Pairs day 1 with day 1, day 2 with day 2, and so on. `date` is null if the period before has more days. */
  readonly days: readonly (Pair & { readonly date: string | null; readonly dateBefore: string | null })[];
  /** The sales for each of the 24 hours of the clock, from 0:00. */
  readonly hours: readonly { readonly sales: number; readonly before: number }[];
  /**
   * The totals of the finished days, and of their pairs in the period before. Skips a pair if its earlier day is before the
   * store's first sale.
   */
  readonly finished: { readonly days: number; readonly sales: number; readonly before: number };
}

type Sold = Pick<TrendsView, 'days' | 'tills' | 'today' | 'first'>;

/** Compares the sales of the till with this id, or of all tills if `till` is undefined. */
export function compare({ days, tills, today, first }: Sold, period: Period, till: number | undefined): Comparison {
  const chosen = tills.filter(({ id }) => till === undefined || id === till);
  const hourSum = (day: number, hour: number): number => sum(chosen.map(({ hours }) => hours[day]?.[hour] ?? 0));
  const all = days.map(({ date }, index) => ({
    date,
    hours: Array.from({ length: 24 }, (_, hour) => hourSum(index, hour)),
  }));
  const now = all.filter(({ date }) => date >= period.from && date <= period.to);
  const before = all.filter(({ date }) => date < period.from);
  const rows = Array.from({ length: Math.max(now.length, before.length) }, (_, index) => {
    const [day, dayBefore] = [now[index], before[index]];
    return {
      date: day?.date ?? null,
      dateBefore: dayBefore?.date ?? null,
      sales: day === undefined || day.date > today ? null : sum(day.hours),
      before: dayBefore === undefined ? null : sum(dayBefore.hours),
    };
  });
  // A day before the store's first sale would make the later day look like growth.
  const hasBegun = (date: string | null): boolean => date !== null && first !== null && date >= first;
  const over = rows.filter(({ date, dateBefore }) => date !== null && date < today && hasBegun(dateBefore));
  return {
    days: rows,
    hours: Array.from({ length: 24 }, (_, hour) => ({
      sales: sum(now.map(({ hours }) => hours[hour] ?? 0)),
      before: sum(before.map(({ hours }) => hours[hour] ?? 0)),
    })),
    finished: {
      days: over.length,
      sales: sum(over.map(({ sales }) => sales ?? 0)),
      before: sum(over.map((row) => row.before ?? 0)),
    },
  };
}

/** `sold`: the till sold on this day. `silent`: only other tills sold. `closed`: no till sold. */
export type SoldState = 'sold' | 'silent' | 'closed';

/** The finished days of a till, oldest first. Starts at the store's first day with sales. */
export function soldDays(
  { days, tills, today, first }: Pick<TrendsView, 'days' | 'tills' | 'today' | 'first'>,
  till: number,
): { readonly date: string; readonly sales: number; readonly state: SoldState }[] {
  return days.flatMap(({ date }, index) => {
    if (first === null || date < first || date >= today) return [];
    const salesOf = (id: number): number => sum(tills.find((each) => each.id === id)?.hours[index] ?? []);
    const sales = salesOf(till);
    const state = sales > 0 ? 'sold' : tills.some(({ id }) => salesOf(id) > 0) ? 'silent' : 'closed';
    return [{ date, sales, state }];
  });
}

/** Returns, for each day until now, how long a lane could not send (`downMs`, in milliseconds). Pauses count too. */
export function lineDays(
  { days, outages, first, now }: Pick<TrendsView, 'days' | 'outages' | 'first' | 'now'>,
  laneId: number,
): { readonly date: string; readonly downMs: number; readonly share: number }[] {
  const own = outages.filter((outage) => outage.laneId === laneId);
  return days.flatMap(({ date, from, to }) => {
    const end = Math.min(to * 1000, now);
    const length = end - from * 1000;
    if (first === null || date < first || length <= 0) return [];
    const downMs = sum(own.map((outage) => overlapMs(outage, from * 1000, end)));
    return [{ date, downMs, share: 1 - downMs / length }];
  });
}

function overlapMs({ from, to }: Outage, begin: number, end: number): number {
  return Math.max(0, Math.min(to ?? end, end) - Math.max(from, begin));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
