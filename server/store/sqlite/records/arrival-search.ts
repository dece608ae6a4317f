// Which record came first at or after an instant. Records are numbered as they come, so that few are looked at.

import type { Connection } from '../engine/database.ts';

export interface ArrivalSearch {
  /** The highest id there is; 0 for none. */
  findNewest(): number;
  /** The first record that came at or after an instant in epoch milliseconds; one more than the newest where none did. */
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
