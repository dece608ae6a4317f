// Counts all matches of a search by sale, if sums of buckets are enough.

import type { SearchFilter } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { coverRange } from './count.ts';

const IN_RANGE = 'starts_at >= @from AND starts_at < @to AND (@status IS NULL OR status = @status)';
const OF_INTERFACE = '(@interface IS NULL OR interface = @interface)';
/** Exported for the test that asserts the query plans. */
export const TOTAL_SQL = {
  records: `
    SELECT sum(records) FROM counts
    WHERE journal_id = @journalId AND interface IN ('current', 'earlier') AND status IN ('NEW', 'IGNORED', 'ERROR')
      AND width = @width AND ${IN_RANGE} AND ${OF_INTERFACE}
      AND (@type IS NULL OR type = @type) AND (@tillId IS NULL OR till_id = @tillId)`,
  deliveries: `
    SELECT sum(deliveries) FROM lanes JOIN delivery_counts ON lane_id = lanes.id
    WHERE journal_id = @journalId AND ${OF_INTERFACE} AND delivery_counts.state = @delivery
      AND status IN ('NEW', 'IGNORED', 'ERROR') AND ${IN_RANGE}`,
};

/**
 * Counts the matches. Returns null if records would have to be read: for a delivery state together with a type or till, and for
 * parts of quarter hours.
 */
export function openRecordTotal(db: Connection): (filter: SearchFilter) => number | null {
  const sumRecords = db.prepare<unknown[], number | null>(TOTAL_SQL.records).pluck();
  const sumDeliveries = db.prepare<unknown[], number | null>(TOTAL_SQL.deliveries).pluck();

  return ({ journalId, interface: by = null, status = null, delivery, type = null, tillId = null, from, to }) => {
    const range = { from: from ?? -86_400_000_000, to: to ?? 864_000_000_000 };
    const { buckets, edges } = coverRange(range);
    if (edges.length > 0) return null;
    if (delivery !== undefined) {
      if (type !== null || tillId !== null) return null;
      return sumDeliveries.get({ journalId, interface: by, delivery, status, ...range }) ?? 0;
    }
    const scope = { journalId, interface: by, status, type, tillId };
    return buckets.reduce((sum, part) => sum + (sumRecords.get({ ...scope, ...part }) ?? 0), 0);
  };
}
