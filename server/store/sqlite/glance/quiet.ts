// Says whether tills are quiet and will stay quiet, by the arrivals of the last four weeks. If so, the gateway may stop for a
// minute.

import type { Connection } from '../engine/database.ts';
import { type ArrivalSearch, openArrivalSearch } from '../records/arrival-search.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Tills are quiet only if nothing has arrived for this long. */
const SINCE_MS = 30 * MINUTE_MS;
/**
 * Tills are quiet only if nothing arrived around the same time of day on any learned day. The limits say how long before and
 * after that time count. The hour before allows for a clock change.
 */
const AROUND_MS = { before: HOUR_MS, after: 2 * HOUR_MS };
const LEARNED_DAYS = 28;
/**
 * Minimum days with sales to know a store's habits. With fewer days, tills count as quiet only at night, by the machine's
 * clock.
 */
const MIN_DAYS = 7;
const NIGHT = { from: 2, to: 5 };

/**
 * Returns a function that says whether tills are quiet; `now` is in epoch milliseconds. It takes a few milliseconds, whatever
 * the number of records.
 */
export function openQuietReader(db: Connection): (now: number) => boolean {
  const arrivals = openArrivalSearch(db);
  return db.transaction((now: number) => isQuiet(arrivals, now));
}

function isQuiet({ findNewest, findFirst }: ArrivalSearch, now: number): boolean {
  const newest = findNewest();
  const hasCome = (from: number, to: number): boolean => findFirst(from, newest) < findFirst(to, newest);
  if (hasCome(now - SINCE_MS, Infinity)) return false;
  const days = Array.from({ length: LEARNED_DAYS }, (_, day) => now - (day + 1) * DAY_MS);
  if (days.filter((then) => hasCome(then, then + DAY_MS)).length < MIN_DAYS) {
    const hour = new Date(now).getHours();
    return hour >= NIGHT.from && hour < NIGHT.to;
  }
  return !days.some((then) => hasCome(then - AROUND_MS.before, then + AROUND_MS.after));
}
