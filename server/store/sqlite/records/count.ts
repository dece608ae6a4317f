// Counts of records, kept in buckets of a quarter hour and of a UTC day. So the count of any range is the sum of few rows. The
// offset of every zone is a multiple of fifteen minutes, so the days of every zone are sums of buckets too.

import type { Interface, Status } from '../../../contract/codes.ts';
import type { Range, CountFault } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { isFolded } from '../engine/tail.ts';
import { NEW_STREAM } from './record-stream.ts';

export const QUARTER = 900;
export const DAY = 86_400;

/**
 * A range split into parts. Each of `buckets` is a run of buckets of one width. `edges` are the remaining parts at both ends,
 * smaller than a bucket.
 */
export interface Cover {
  readonly buckets: readonly (Range & { readonly width: number })[];
  readonly edges: readonly Range[];
}

/** Splits a range into the widest buckets that fit. The parts do not overlap, and together they are the range. */
export function coverRange({ from, to }: Range): Cover {
  const quarters = innerRange({ from, to }, QUARTER);
  if (quarters === undefined) return { buckets: [], edges: [{ from, to }] };
  const edges = around({ from, to }, quarters);
  const days = innerRange(quarters, DAY);
  if (days === undefined) return { buckets: [{ ...quarters, width: QUARTER }], edges };
  const rest = around(quarters, days).map((part) => ({ ...part, width: QUARTER }));
  return { buckets: [{ ...days, width: DAY }, ...rest], edges };
}

function innerRange({ from, to }: Range, width: number): Range | undefined {
  const inner = { from: Math.ceil(from / width) * width, to: Math.floor(to / width) * width };
  return inner.from < inner.to ? inner : undefined;
}

function around(outer: Range, inner: Range): Range[] {
  return [
    { from: outer.from, to: inner.from },
    { from: inner.to, to: outer.to },
  ].filter(({ from, to }) => from < to);
}

/** The fields that decide in which buckets a record is counted. */
export interface Counted {
  readonly journalId: number;
  readonly interface: Interface;
  readonly status: Status;
  /** Epoch seconds. */
  readonly soldAt: number;
  readonly type: string;
  readonly tillId: number;
}

/** SQL for the start of the bucket in which a record is counted; `width` is SQL for its width. */
export function bucketOf(width: number | string): string {
  return `sold_at - ((sold_at % ${width}) + ${width}) % ${width}`;
}

/** SQL that counts records by bucket. It counts each record once for each width of bucket. The caller adds a WHERE clause. */
const RECORDS_IN_BUCKETS = `
  SELECT records.journal_id, records.interface, status, width, ${bucketOf('width')} AS bucket, type, till_id
  FROM records CROSS JOIN keys ON keys.id = key_id CROSS JOIN (SELECT ${QUARTER} AS width UNION ALL SELECT ${DAY})`;

/** Exported for the test that asserts the query plans. */
export const COUNT_FOLD_SQL = `
  INSERT INTO counts (journal_id, interface, status, width, starts_at, type, till_id, records)
    SELECT *, count(*) FROM (${RECORDS_IN_BUCKETS} WHERE records.id > ?) WHERE true GROUP BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT DO UPDATE SET records = records + excluded.records`;

/** Returns a function that counts the records after an id, within the caller's transaction. */
export function openCountFold(db: Connection): (afterId: number) => void {
  const count = db.prepare<[number]>(COUNT_FOLD_SQL);
  return (afterId) => void count.run(afterId);
}

const OF_TYPE = '(@type IS NULL OR type = @type)';
/** Exported for the test that asserts the query plans. */
export const COUNT_SQL = {
  buckets: `
    SELECT coalesce(sum(records), 0) FROM counts
    WHERE journal_id = @journalId AND interface = 'current' AND status = 'NEW' AND width = @width
      AND starts_at >= @from AND starts_at < @to AND ${OF_TYPE}`,
  edges: `
    SELECT count(*) FROM sales
    WHERE journal_id = @journalId AND stream = ${NEW_STREAM.current} AND sold_at >= @from AND sold_at < @to AND ${OF_TYPE}`,
};

/** Counts a journal's NEW records of the current interface that were sold in `range`. Without `type`, counts all types. */
export function openCountReader(db: Connection): (journalId: number, range: Range, type: string | undefined) => number {
  const sumBuckets = db.prepare<unknown[], number>(COUNT_SQL.buckets).pluck();
  const countRecords = db.prepare<unknown[], number>(COUNT_SQL.edges).pluck();

  return (journalId, range, type) => {
    const { buckets, edges } = coverRange(range);
    const scope = { journalId, type: type ?? null };
    const sums = [
      ...buckets.map((part) => sumBuckets.get({ ...scope, ...part })),
      ...edges.map((part) => countRecords.get({ ...scope, ...part })),
    ];
    return sums.reduce<number>((total, sum) => total + (sum ?? 0), 0);
  };
}

/** Counts every record before the tail again, and compares the result with the stored buckets. Reads the whole table once. */
export function listCountFaults(db: Connection, limit: number): CountFault[] {
  // Puts stored and actual counts into one list and sums them. A join of the two would take quadratic time.
  return db
    .prepare(`
    SELECT journal_id AS journalId, interface, status, width, starts_at AS startsAt, sum(stored) AS stored, sum(actual) AS actual
    FROM (
      SELECT journal_id, interface, status, width, starts_at, type, till_id, records AS stored, 0 AS actual FROM counts
      UNION ALL
      SELECT *, 0, 1 FROM (${RECORDS_IN_BUCKETS} WHERE ${isFolded(db)})
    )
    GROUP BY journal_id, interface, status, width, starts_at, type, till_id
    HAVING sum(stored) != sum(actual)
    LIMIT ?`)
    .all(limit) as CountFault[];
}
