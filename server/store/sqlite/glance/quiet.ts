// Whether tills are quiet, and will be for a while: learned from when records came in the last four weeks. It is when the gateway
// may be stopped for a minute.

import type { Connection } from '../engine/database.ts';
import { type ArrivalSearch, openArrivalSearch } from '../records/arrival-search.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Nothing has come for so long … */
const SINCE_MS = 30 * MINUTE_MS;
/** … and on none of the days before did anything come from an hour before this time of day, for a clock change, to two after it. */
const AROUND_MS = { before: HOUR_MS, after: 2 * HOUR_MS };
const LEARNED_DAYS = 28;
/** A store that sold on fewer of them has no habits yet: then the night is quiet, on the clock of this machine. */
const MIN_DAYS = 7;
const NIGHT = { from: 2, to: 5 };

/** `now` in epoch milliseconds. Takes a few milliseconds, however many records there are. */
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
