// Whether tills are quiet, and will be for a while: learned from when records came in the last four weeks. It is when the gateway
// may be stopped for a minute.

import { type ArrivalSearch, openArrivalSearch } from './arrival-search.ts';
import type { Connection } from './database.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Nothing has come for so long … */
const SINCE_MS = 30 * MINUTE_MS;
/** … and on none of the days before did anything come so long after this time of day. */
const AHEAD_MS = HOUR_MS;
const LEARNED_DAYS = 28;
/** A store that has not sold for so many days has no habits yet: then the night is quiet, on the clock of this machine. */
const FEWEST_DAYS = 7;
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
  const isNew = !hasCome(0, now - FEWEST_DAYS * DAY_MS);
  if (isNew) {
    const hour = new Date(now).getHours();
    return hour >= NIGHT.from && hour < NIGHT.to;
  }
  return Array.from({ length: LEARNED_DAYS }, (_, day) => now - (day + 1) * DAY_MS).every(
    (then) => !hasCome(then, then + AHEAD_MS),
  );
}
