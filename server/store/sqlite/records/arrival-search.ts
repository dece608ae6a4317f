// Finds the first record that arrived at or after an instant. Ids are in the order of arrival, so a binary search reads few
// records.

import type { Connection } from '../engine/database.ts';

export interface ArrivalSearch {
  /** The highest id; 0 without records. */
  findNewest(): number;
  /**
   * Returns the id of the first record that arrived at or after an instant in epoch milliseconds. Returns `newest` plus one if
   * there is no such record.
   */
  findFirst(at: number, newest: number): number;
}

export function openArrivalSearch(db: Connection): ArrivalSearch {
  const getNewest = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM records').pluck();
  const getReceived = db
    .prepare<[number], number>('SELECT received_at FROM records WHERE id >= ? ORDER BY id LIMIT 1')
    .pluck();
  return {
    findNewest: () => getNewest.get() ?? 0,
    findFirst(at, newest) {
      let [low, high] = [1, newest + 1];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        if ((getReceived.get(middle) ?? Infinity) < at) low = middle + 1;
        else high = middle;
      }
      return low;
    },
  };
}
