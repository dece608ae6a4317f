// Compares the sales of a period with the period before, and says when tills sold and lanes ran. Pure.

import type { Outage } from '../../server/contract/lanes.ts';
import type { TrendsView } from '../../server/contract/trends.ts';
import type { Period } from './periods.ts';

/** Sales of the period, and of the same place in the period before. Null: a day that has not begun, or that does not exist. */
export interface Pair {
  readonly sales: number | null;
  readonly before: number | null;
}

export interface Comparison {
  /** By the position of the day in its period, with the date in the period; the last days of a longer month before have none. */
  readonly days: readonly (Pair & { readonly date: string | null; readonly dateBefore: string | null })[];
  /** The 24 hours of the wall clock. */
  readonly hours: readonly { readonly sales: number; readonly before: number }[];
  /** Sums of the days that are over, and of the same days before. Leaves out days whose day before is earlier than the store's first sale. */
  readonly finished: { readonly days: number; readonly sales: number; readonly before: number };
}

type Sold = Pick<TrendsView, 'days' | 'tills' | 'today' | 'first'>;

/** `till` is the id of a till; undefined for all. */
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
  // Days before the first sale would make every later day look like growth.
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

/** Whether a till sold on a day: `silent` if only other tills did, and `closed` if none did. */
export type SoldState = 'sold' | 'silent' | 'closed';

/** The days of a till that are over, oldest first, from the store's first day of sales on. */
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

/** For how long a lane could not send on each day up to now, in milliseconds. A pause counts. */
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
