// What a till usually sells on such a day: how much in each quarter hour of the wall clock, learned from the last four weeks,
// and with it when it is open.

import { Temporal } from 'temporal-polyfill';

import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { DAY, QUARTER } from '../records/count.ts';

/** What a till sold in a quarter hour. */
export interface Sold {
  readonly tillId: number;
  /** Epoch seconds. */
  readonly startsAt: number;
  readonly records: number;
}

/** What tills usually sell on a store day. */
export interface Habits {
  /** Where on the day a moment is, in epoch seconds; undefined for a moment of another day. */
  readonly quarterAt: (at: number) => number | undefined;
  /** By till: the sales of each quarter hour of the day. A till of which too little is known is not there. */
  readonly expected: ReadonlyMap<number, readonly number[]>;
}

/** In the week of a clock change a day begins so much earlier or later. */
const MAX_SHIFT = 3 * 60 * 60;
/** How far back it is learned from. */
const LEARNED_DAYS = 28;
const QUARTERS = DAY / QUARTER;
/** A till that sold on fewer days is not known. */
const MIN_DAYS = 5;
/** So many days of the same weekday are enough by themselves. */
const MIN_WEEKDAYS = 3;
/** What is learned is learned again after so long: a till may send the sales of days that it was alone. */
const KNOWN_FOR_MS = 60 * 60_000;

interface Place {
  /** Days on the wall clock, from some day on. */
  readonly date: number;
  /** Quarter hours since the day began, on the wall clock, with fractions. */
  readonly quarter: number;
}

/** Exported for the test that asserts the query plan. */
export const SOLD_SQL = `
  SELECT till_id AS tillId, starts_at AS startsAt, records FROM counts
  WHERE journal_id = @journalId AND interface IN ('current', 'earlier') AND status = 'NEW' AND width = ${QUARTER}
    AND starts_at >= @from AND starts_at < @to`;

/** Opens what knows the habits of a journal's tills on a day, and reads them once in an hour of `now` in epoch milliseconds. */
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
 * Learns what to expect of a store day from what was sold in the days before; `day` says when it begins, and with it when
 * those before it did. Days on which the whole store sold nothing are none.
 */
export function learnHabits(sold: Iterable<Sold>, day: Range, timeZone: string): Habits {
  const placeOf = openWallClock(day, timeZone);
  const today = placeOf(day.from).date;
  const quarterAt = (at: number): number | undefined => {
    const { date, quarter } = placeOf(at);
    return date === today ? quarter : undefined;
  };

  const places = new Map<number, Place>(); // tills and types have their quarter hours in common
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

/** The days to learn today from: none while a till is new, and where it seldom sells on such a weekday or the store is closed. */
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

/** By the wall clock the same hours are the same before and after a clock change. */
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
