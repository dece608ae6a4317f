// Compares the sales of a period with the sales of the period before. Also says in which days or hours tills sold, and when
// lanes did not run. Pure.

import type { StoreDay } from '../../server/contract/days.ts';
import type { Outage } from '../../server/contract/lanes.ts';
import type { TillTrend, TrendsView } from '../../server/contract/trends.ts';
import { clockAt } from '../../server/store-day.ts';
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

/** `sold`: the till sold in this slot. `silent`: only other tills sold. `closed`: no till sold. */
export type SoldState = 'sold' | 'silent' | 'closed';

/** A store day, or an hour of one. `from` and `to` are in epoch seconds. */
export type Slot = StoreDay;

export interface SoldSlot {
  readonly slot: Slot;
  readonly sales: number;
  readonly state: SoldState;
}

/** The finished days of a till, oldest first. Starts at the store's first day with sales. */
export function soldDays({ days, tills, today, first }: Sold, till: number): readonly SoldSlot[] {
  return days.flatMap((slot, index) => {
    if (first === null || slot.date < first || slot.date >= today) return [];
    return [soldSlot(slot, tills, till, ({ hours }) => sum(hours[index] ?? []))];
  });
}

/**
 * The finished hours of a till in a period, oldest first. Leaves out the hours of the clock at which no till sold in the whole
 * period.
 */
export function soldHours(
  { days, tills, now }: Pick<TrendsView, 'days' | 'tills' | 'now'>,
  period: Period,
  till: number,
  timeZone: string,
): readonly SoldSlot[] {
  const shown = days.flatMap((day, index) => (isIn(period, day) ? [{ day, index }] : []));
  const isOpen = Array.from({ length: 24 }, (_, hour) =>
    shown.some(({ index }) => tills.some(({ hours }) => (hours[index]?.[hour] ?? 0) > 0)),
  );
  return shown.flatMap(({ day, index }) =>
    [...clockHoursOf(day, timeZone)].flatMap(([hour, slot]) => {
      if (isOpen[hour] !== true || slot.to * 1000 > now) return [];
      return [soldSlot(slot, tills, till, ({ hours }) => hours[index]?.[hour] ?? 0)];
    }),
  );
}

/**
 * The hours of the local clock in a day, by number. An hour is one slot even if it occurs twice, because the clocks are put
 * back, or if the day begins and ends in it.
 */
function clockHoursOf({ date, from, to }: Slot, timeZone: string): ReadonlyMap<number, Slot> {
  const hours = new Map<number, Slot>();
  for (let at = from; at < to;) {
    const [hour = 0, minute = 0] = clockAt(at, timeZone).time.split(':').map(Number);
    const end = Math.min(at + HOUR - minute * 60, to);
    hours.set(hour, { date, from: hours.get(hour)?.from ?? at, to: end });
    at = end;
  }
  return hours;
}

function soldSlot(
  slot: Slot,
  tills: readonly TillTrend[],
  till: number,
  salesOf: (till: TillTrend) => number,
): SoldSlot {
  const sales = sum(tills.filter(({ id }) => id === till).map(salesOf));
  return { slot, sales, state: sales > 0 ? 'sold' : tills.some((each) => salesOf(each) > 0) ? 'silent' : 'closed' };
}

/** The hours of the days in a period. */
export function hoursIn(days: readonly Slot[], period: Period): readonly Slot[] {
  return days.filter((day) => isIn(period, day)).flatMap(hoursOf);
}

const HOUR = 3600;

function hoursOf({ date, from, to }: Slot): readonly Slot[] {
  return Array.from({ length: Math.ceil((to - from) / HOUR) }, (_, hour) => ({
    date,
    from: from + hour * HOUR,
    to: Math.min(from + (hour + 1) * HOUR, to),
  }));
}

function isIn(period: Period, { date }: Slot): boolean {
  return date >= period.from && date <= period.to;
}

export interface LineSlot {
  readonly slot: Slot;
  readonly downMs: number;
  readonly share: number;
}

/** Returns, for each slot until now, how long a lane could not send (`downMs`, in milliseconds). Pauses count too. */
export function lineSlots(
  { outages, first, now }: Pick<TrendsView, 'outages' | 'first' | 'now'>,
  slots: readonly Slot[],
  laneId: number,
): readonly LineSlot[] {
  const own = outages.filter((outage) => outage.laneId === laneId);
  return slots.flatMap((slot) => {
    const from = slot.from * 1000;
    const end = Math.min(slot.to * 1000, now);
    if (first === null || slot.date < first || end <= from) return [];
    const downMs = sum(own.map((outage) => overlapMs(outage, from, end)));
    return [{ slot, downMs, share: 1 - downMs / (end - from) }];
  });
}

function overlapMs({ from, to }: Outage, begin: number, end: number): number {
  return Math.max(0, Math.min(to ?? end, end) - Math.max(from, begin));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
