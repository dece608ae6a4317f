// Counts the sales of some store days by till and by hour of local time. It sums buckets, so its time depends on the number of
// days and tills, not of records.

import { Temporal } from 'temporal-polyfill';

import type { Trends } from '../../../contract/trends.ts';
import type { TrendQuery } from '../../glance/ledger.ts';
import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { openOutageReader } from '../outbox/outage.ts';
import { SOLD_SQL, type Sold } from './habit.ts';

const HOURS = 24;

export function openTrendReader(db: Connection): (query: TrendQuery) => Trends {
  const selectSold = db.prepare<unknown[], Sold>(SOLD_SQL);
  const selectTills = db.prepare<[number], { id: number; label: string }>(
    'SELECT id, label FROM tills WHERE journal_id = ? ORDER BY label',
  );
  const listOutages = openOutageReader(db);

  return ({ journalId, days, timeZone }: TrendQuery): Trends => {
    const range = { from: days[0]?.from ?? 0, to: days.at(-1)?.to ?? 0 };
    const placeOf = openPlaces(days, timeZone);
    const tills = new Map<number, number[][]>();
    for (const { tillId, startsAt, records } of selectSold.iterate({ journalId, ...range })) {
      const { day, hour } = placeOf(startsAt);
      const hours = tills.get(tillId) ?? days.map(() => Array.from({ length: HOURS }, () => 0));
      tills.set(tillId, hours);
      const sums = hours[day];
      if (sums !== undefined) sums[hour] = (sums[hour] ?? 0) + records;
    }
    return {
      tills: selectTills.all(journalId).flatMap(({ id, label }) => {
        const hours = tills.get(id);
        return hours === undefined ? [] : [{ id, label, hours }];
      }),
      outages: listOutages(journalId, range),
    };
  };
}

/** Returns a function that finds the place of a quarter hour: the index of its store day, and its hour of local time. */
function openPlaces(
  days: readonly Range[],
  timeZone: string,
): (startsAt: number) => { readonly day: number; readonly hour: number } {
  // many rows have the same quarter hour, so each place is kept
  const known = new Map<number, { day: number; hour: number }>();
  return (startsAt) => {
    const place = known.get(startsAt) ?? {
      day: days.findIndex(({ from, to }) => from <= startsAt && startsAt < to),
      hour: Temporal.Instant.fromEpochMilliseconds(startsAt * 1000).toZonedDateTimeISO(timeZone).hour,
    };
    known.set(startsAt, place);
    return place;
  };
}
