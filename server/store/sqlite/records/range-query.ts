// The query of the current interface. It returns the count and one page of the NEW records sold in a range.

import type { RangeQuery, RangeResult } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { openCountReader } from './count.ts';
import { openPageReader } from './record.ts';

/** Returns a reader of a range: its count and one page. */
export function openRangeReader(db: Connection): (query: RangeQuery) => RangeResult {
  const countRange = openCountReader(db);
  const listPage = openPageReader(db);
  const getHighestId = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM records').pluck();

  function read(query: RangeQuery): Omit<RangeResult, 'elapsedMs'> {
    const { journalId, range, type, limit, continuation } = query;
    // Otherwise an empty range would have a page: the records of the second at which the range begins.
    if (range.from === range.to) return { count: 0, rows: [], continuation: undefined };
    const count = continuation?.count ?? countRange(journalId, range, type);
    if (limit === 0) return { count, rows: [], continuation: undefined };
    const highWaterId = continuation?.highWaterId ?? getHighestId.get() ?? 0;
    const found = listPage({ journalId, range, type, after: continuation?.after, highWaterId, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const hasMore = found.length > limit && last !== undefined;
    const after = hasMore ? { soldAt: last.soldAt, recordId: last.recordId } : undefined;
    return { count, rows, continuation: after && { after, highWaterId, count } };
  }

  return (query) => {
    const startedAt = performance.now();
    return { ...read(query), elapsedMs: performance.now() - startedAt };
  };
}
