// The reader thread: answers every question about the data on a connection that cannot change them, so that a query,
// a list or a scrub never delays a till.

import { listCountFaults, openCountReader, type CountFault, type Range } from './count.ts';
import { openDatabase } from './database.ts';
import { countStatuses, type JournalCounts } from './journal.ts';
import { type Key, listKeys } from './key.ts';
import {
  highestRecordId,
  listDamagedRecords,
  listRecords,
  openPageReader,
  type PagePosition,
  type PageRow,
  type RecordFilter,
  type RecordSummary,
} from './record.ts';
import { listRefusals } from './refusal.ts';
import { answerCalls, threadData } from './thread.ts';

/** A query of the records sold in a range: their count and, where `limit` is above 0, one page of them. */
export interface RangeQuery {
  readonly journalId: number;
  readonly range: Range;
  readonly type: string | undefined;
  readonly limit: number;
  /** Set from the second page on: the count and the set are those of the first. */
  readonly continuation?: Continuation | undefined;
}

export interface Continuation {
  readonly after: PagePosition;
  readonly highWaterId: number;
  readonly count: number;
}

export interface RangeAnswer {
  readonly count: number;
  readonly rows: readonly PageRow[];
  /** How to ask for the next page; undefined at the end. */
  readonly continuation: Continuation | undefined;
  /** Time spent in the store, in milliseconds. */
  readonly elapsedMs: number;
}

/** What a full check of the store found; all empty means that it is sound. */
export interface CheckResult {
  /** What SQLite says of the file's structure. */
  readonly structure: readonly string[];
  /** Records whose bytes don't match their SHA-256. */
  readonly damagedRecords: readonly number[];
  readonly countFaults: readonly CountFault[];
  readonly records: number;
}

const { path } = threadData<{ path: string }>();
const db = openDatabase(path, 'read');
const countRange = openCountReader(db);
const listPage = openPageReader(db);

/** Count and page come from one snapshot, so that they describe one set. */
const queryRange = db.transaction((query: RangeQuery): Omit<RangeAnswer, 'elapsedMs'> => {
  const { journalId, range, type, limit, continuation } = query;
  const count = continuation?.count ?? countRange(journalId, range, type);
  if (limit === 0) return { count, rows: [], continuation: undefined };
  const highWaterId = continuation?.highWaterId ?? highestRecordId(db);
  const found = listPage({ journalId, range, type, after: continuation?.after, highWaterId, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    count,
    rows,
    continuation: hasMore ? { after: { soldAt: last.soldAt, id: last.id }, highWaterId, count } : undefined,
  };
});

const operations = {
  queryRange(query: RangeQuery): RangeAnswer {
    const startedAt = performance.now();
    return { ...queryRange(query), elapsedMs: performance.now() - startedAt };
  },

  countStatuses: (): JournalCounts[] => countStatuses(db),
  listRecords: (filter: RecordFilter): RecordSummary[] => listRecords(db, filter),
  listRefusals: (limit: number) => listRefusals(db, limit),
  listKeys: (): Key[] => listKeys(db).map(({ key }) => key),

  /** Reads everything once; takes about a minute for ten million records. */
  check(): CheckResult {
    const structure = (db.pragma('integrity_check') as { integrity_check: string }[]).map((row) => row.integrity_check);
    return {
      structure: structure.filter((line) => line !== 'ok'),
      damagedRecords: [...listDamagedRecords(db)],
      countFaults: listCountFaults(db),
      records: db.prepare('SELECT count(*) FROM records').pluck().get() as number,
    };
  },

  getSecret: (name: string): Uint8Array =>
    db.prepare('SELECT value FROM secrets WHERE name = ?').pluck().get(name) as Uint8Array,

  close(): void {
    db.close();
  },
};

export type ReaderOperations = typeof operations;

answerCalls(operations);
