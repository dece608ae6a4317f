// The query of the current interface: the NEW records sold in a range, their count and a page of them, as one set.

import type { Connection } from '../engine/database.ts';
import { openCountReader, type Range } from './count.ts';
import { openPageReader, type PagePosition, type PageRow } from './record.ts';

/** A query of the records sold in a range: their count and, where `limit` is above 0, one page of them. */
export interface RangeQuery {
  readonly journalId: number;
  readonly range: Range;
  readonly type: string | undefined;
  readonly limit: number;
  /** Set from the second page on: the count and the set are those of the first. */
  readonly continuation?: Continuation | undefined;
}

/** Where the next page begins, and which set is being paged. */
export interface Continuation {
  readonly after: PagePosition;
  /** The newest record when the first page was read; later ones are not part of the set. */
  readonly highWaterId: number;
  readonly count: number;
}

export interface RangeResult {
  readonly count: number;
  readonly rows: readonly PageRow[];
  /** How to ask for the next page; undefined at the end. */
  readonly continuation: Continuation | undefined;
  /** Time spent in the store, in milliseconds. */
  readonly elapsedMs: number;
}

/** Count and page come from one snapshot of the database. */
export function openRangeReader(db: Connection): (query: RangeQuery) => RangeResult {
  const countRange = openCountReader(db);
  const listPage = openPageReader(db);
  const getHighestId = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM records').pluck();

  const read = db.transaction((query: RangeQuery): Omit<RangeResult, 'elapsedMs'> => {
    const { journalId, range, type, limit, continuation } = query;
    // Two bounds within one second: a page would begin with that second.
    if (range.from === range.to) return { count: 0, rows: [], continuation: undefined };
    const count = continuation?.count ?? countRange(journalId, range, type);
    if (limit === 0) return { count, rows: [], continuation: undefined };
    const highWaterId = continuation?.highWaterId ?? getHighestId.get() ?? 0;
    const found = listPage({ journalId, range, type, after: continuation?.after, highWaterId, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const hasMore = found.length > limit && last !== undefined;
    const after = hasMore ? { soldAt: last.soldAt, id: last.id } : undefined;
    return { count, rows, continuation: after && { after, highWaterId, count } };
  });

  return (query) => {
    const startedAt = performance.now();
    return { ...read(query), elapsedMs: performance.now() - startedAt };
  };
}
