// Estimates the growth of the data from the records of the last week.

import type { Connection } from '../engine/database.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** Reads the growth in bytes a day; null if no record arrived in the last week. */
export function openGrowthReader(db: Connection): (now: number) => number | null {
  const findFirstSince = openArrivalFinder(db);
  const selectNewest = db.prepare<[], { id: number }>('SELECT id FROM records ORDER BY id DESC LIMIT 1');
  const selectOldest = db.prepare<[], { receivedAt: number }>(
    'SELECT received_at AS receivedAt FROM records ORDER BY id LIMIT 1',
  );
  const pragma = (name: string): number => db.pragma(name, { simple: true }) as number;

  return (now) => {
    const newest = selectNewest.get();
    const oldest = selectOldest.get();
    if (newest === undefined || oldest === undefined) return null;
    const first = findFirstSince(now - WEEK_MS, 0, newest.id);
    if (first === undefined) return null;
    const bytesPerRecord = ((pragma('page_count') - pragma('freelist_count')) * pragma('page_size')) / newest.id;
    // A store younger than a day counts as one day.
    const days = Math.max(DAY_MS, Math.min(WEEK_MS, now - oldest.receivedAt)) / DAY_MS;
    return ((newest.id - first + 1) * bytesPerRecord) / days;
  };
}

/**
 * Finds the first record that arrived after an instant in epoch milliseconds. It searches ids above `after`, up to `last`;
 * undefined if there is none. Ids are in the order of arrival, so a binary search needs no index.
 */
export function openArrivalFinder(db: Connection): (since: number, after: number, last: number) => number | undefined {
  const selectNext = db.prepare<[number], { id: number; receivedAt: number }>(
    'SELECT id, received_at AS receivedAt FROM records WHERE id >= ? ORDER BY id LIMIT 1',
  );
  return (since, after, last) => {
    let from = after + 1;
    let to = last + 1;
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const record = selectNext.get(middle);
      if (record === undefined || record.id > last || record.receivedAt > since) to = middle;
      else from = record.id + 1;
    }
    return from > last ? undefined : selectNext.get(from)?.id;
  };
}
