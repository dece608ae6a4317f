// Lists outages. For each outage, counts the records that arrived during the outage, and finds when the last of these records
// was delivered.

import type { OutageDiary } from '../../../contract/days.ts';
import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { openArrivalSearch } from '../records/arrival-search.ts';
import { openOutageReader } from './outage.ts';

/** Exported for the test that asserts the query plan. */
export const KEPT_SQL = `
  SELECT count(*) AS kept, coalesce(sum(state != 'delivered'), 0) AS undelivered, max(answered_at) AS deliveredBy FROM deliveries
  WHERE record_id >= @first AND record_id < @end AND lane_id = @laneId`;

/** Returns a reader of the outages that overlap a range of time. */
export function openDiaryReader(db: Connection): (journalId: number, range: Range) => OutageDiary[] {
  const listOutages = openOutageReader(db);
  const { findNewest, findFirst } = openArrivalSearch(db);
  const selectKept = db.prepare<unknown[], { kept: number; undelivered: number; deliveredBy: number | null }>(KEPT_SQL);

  return (journalId: number, range: Range) => {
    const newest = findNewest();
    return listOutages(journalId, range).map((outage): OutageDiary => {
      const { laneId, from, to } = outage;
      const ids = { first: findFirst(from, newest), end: to === null ? newest + 1 : findFirst(to, newest) };
      const { kept = 0, undelivered = 0, deliveredBy = null } = selectKept.get({ laneId, ...ids }) ?? {};
      return { ...outage, kept, deliveredBy: undelivered > 0 ? null : deliveredBy };
    });
  };
}
