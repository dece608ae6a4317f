// The diary of outages: when a lane was not running, and what became of the records that came meanwhile.

import type { OutageDiary } from '../contract.ts';
import type { Range } from './count.ts';
import type { Connection } from './database.ts';
import { openOutageReader } from './outage.ts';

/** Exported for the test that asserts the query plan. */
export const KEPT_SQL = `
  SELECT count(*) AS kept, coalesce(sum(state != 'delivered'), 0) AS undelivered, max(answered_at) AS deliveredBy FROM deliveries
  WHERE record_id >= @first AND record_id < @end AND lane_id = @laneId`;

/** The outages that touch a range, with what came meanwhile. Records are numbered as they come, so that few are looked at. */
export function openDiaryReader(db: Connection): (journalId: number, range: Range) => OutageDiary[] {
  const listOutages = openOutageReader(db);
  const getNewest = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM records').pluck();
  const getReceived = db
    .prepare<[number], number>('SELECT received_at FROM records WHERE id >= ? ORDER BY id LIMIT 1')
    .pluck();
  const selectKept = db.prepare<unknown[], { kept: number; undelivered: number; deliveredBy: number | null }>(KEPT_SQL);

  /** The first record that came at or after an instant in epoch milliseconds. */
  function findFirst(at: number, newest: number): number {
    let [low, high] = [1, newest + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((getReceived.get(middle) ?? Infinity) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return db.transaction((journalId: number, range: Range) => {
    const newest = getNewest.get() ?? 0;
    return listOutages(journalId, range).map((outage): OutageDiary => {
      const { laneId, from, to } = outage;
      const ids = { first: findFirst(from, newest), end: to === null ? newest + 1 : findFirst(to, newest) };
      const { kept = 0, undelivered = 0, deliveredBy = null } = selectKept.get({ laneId, ...ids }) ?? {};
      return { ...outage, kept, deliveredBy: undelivered > 0 ? null : deliveredBy };
    });
  });
}
