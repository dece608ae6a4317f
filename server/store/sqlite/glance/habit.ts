// Learns from the last four weeks what a till usually sells in each quarter hour of a day. The usual sales also show when the
// till is open.

import { Temporal } from 'temporal-polyfill';

import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { DAY, QUARTER } from '../records/count.ts';

/** Number of sales of a till in one quarter hour. */
export interface Sold {
  readonly tillId: number;
  /** Epoch seconds. */
  readonly startsAt: number;
  readonly records: number;
}

/** What tills usually sell on a store day. */
export interface Habits {
  /**
   * Converts an instant in epoch seconds to quarter hours since the start of this day, with fractions. Undefined if the instant
   * is outside this day.
   */
  readonly quarterAt: (at: number) => number | undefined;
  /** The usual number of sales in each quarter hour, by till id. Leaves out tills with too little history. */
  readonly expected: ReadonlyMap<number, readonly number[]>;
}

/** How much earlier or later a day may begin in the week of a clock change, in seconds. */
const MAX_SHIFT = 3 * 60 * 60;
/** Number of days before today to learn from. */
const LEARNED_DAYS = 28;
const QUARTERS = DAY / QUARTER;
/** A till must have sold on at least this many days. With fewer days, nothing is expected of the till. */
const MIN_DAYS = 5;
/** If at least this many learned days have the same weekday as today, only these days count. */
const MIN_WEEKDAYS = 3;
/** Habits are learned again after this time, because a till that was offline may send sales of past days. */
const KNOWN_FOR_MS = 60 * 60_000;

interface Place {
  /** A serial number of the day on the wall clock. */
  readonly date: number;
  /** Quarter hours since the day began on the wall clock, with fractions. */
  readonly quarter: number;
}

/** Exported for the test that asserts the query plan. */
export const SOLD_SQL = `
  SELECT till_id AS tillId, starts_at AS startsAt, records FROM counts
  WHERE journal_id = @journalId AND interface IN ('current', 'earlier') AND status = 'NEW' AND width = ${QUARTER}
    AND starts_at >= @from AND starts_at < @to`;

/**
 * Returns a reader of the habits of a journal's tills on a day. It reads them at most once an hour. `now` is in epoch
 * milliseconds.
 */
export function openHabitReader(
  db: Connection,
): (journalId: number, day: Range, timeZone: string, now: number) => Habits {
  const select = db.prepare<unknown[], Sold>(SOLD_SQL);
  const known = new Map<number, { readonly of: string; readonly habits: Habits }>();

  return (journalId, day, timeZone, now) => {
    const of = `${day.from} ${timeZone} ${Math.floor(now / KNOWN_FOR_MS)}`;
    const last = known.get(journalId);
    if (last?.of === of) return last.habits;
    const from = day.from - LEARNED_DAYS * DAY - MAX_SHIFT;
    const habits = learnHabits(select.iterate({ journalId, from, to: day.from }), day, timeZone);
    known.set(journalId, { of, habits });
    return habits;
  };
}

/**
 * Learns what to expect of a store day from the days before. Each of those days is assumed to begin at the same time of day as
 * `day`. Days without any sale in the store do not count.
 */
export function learnHabits(sold: Iterable<Sold>, day: Range, timeZone: string): Habits {
  const placeOf = openWallClock(day, timeZone);
  const today = placeOf(day.from).date;
  const quarterAt = (at: number): number | undefined => {
    const { date, quarter } = placeOf(at);
    return date === today ? quarter : undefined;
  };

  const places = new Map<number, Place>(); // cached, because many rows have the same quarter hour
  const placeOfQuarter = (startsAt: number): Place => {
    const place = places.get(startsAt) ?? placeOf(startsAt);
    places.set(startsAt, place);
    return place;
  };
  const storeDates = new Set<number>();
  const tills = new Map<number, Map<number, number[]>>();
  for (const { tillId, startsAt, records } of sold) {
    const { date, quarter } = placeOfQuarter(startsAt);
    if (date >= today || date < today - LEARNED_DAYS) continue;
    storeDates.add(date);
    const dates = tills.get(tillId) ?? new Map<number, number[]>();
    tills.set(tillId, dates);
    const sales = dates.get(date) ?? Array.from({ length: QUARTERS }, () => 0);
    dates.set(date, sales);
    sales[Math.floor(quarter)] = (sales[Math.floor(quarter)] ?? 0) + records;
  }

  const expected = new Map<number, readonly number[]>();
  for (const [tillId, dates] of tills) {
    const alike = listDaysAlike(storeDates, dates, today);
    if (alike.length > 0) expected.set(tillId, averageOf(alike.map((date) => dates.get(date))));
  }
  return { quarterAt, expected };
}

/**
 * Lists the days to learn from. Empty if the till is new, seldom sells on this weekday, or the store was closed on this
 * weekday.
 */
function listDaysAlike(storeDates: ReadonlySet<number>, ofTill: ReadonlyMap<number, unknown>, today: number): number[] {
  if (ofTill.size < MIN_DAYS) return [];
  const first = Math.min(...ofTill.keys());
  const dates = [...storeDates].filter((date) => date >= first);
  const weekdays = dates.filter((date) => (today - date) % 7 === 0);
  const soldOn = weekdays.filter((date) => ofTill.has(date)).length;
  const weeks = Math.floor((today - first) / 7);
  if (soldOn === 0 || 2 * soldOn < weeks) return [];
  return weekdays.length >= MIN_WEEKDAYS ? weekdays : dates;
}

function averageOf(days: readonly (readonly number[] | undefined)[]): number[] {
  return Array.from({ length: QUARTERS }, (_, quarter) => {
    const sum = days.reduce((total, sales) => total + (sales?.[quarter] ?? 0), 0);
    return sum / days.length;
  });
}

/** Finds the place of an instant on the wall clock. On that clock, opening hours stay the same after a clock change. */
function openWallClock({ from }: Range, timeZone: string): (at: number) => Place {
  const wallOf = (at: number): number => {
    const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(at) * 1000);
    return at + instant.toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e9;
  };
  const beginning = wallOf(from) % DAY;
  return (at) => {
    const since = wallOf(at) - beginning;
    const date = Math.floor(since / DAY);
    return { date, quarter: (since - date * DAY) / QUARTER };
  };
}
