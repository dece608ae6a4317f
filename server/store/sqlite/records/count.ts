// Counts of records, kept in buckets of a quarter hour and of a UTC day. So the count of any range is the sum of few rows. The
// offset of every zone is a multiple of fifteen minutes, so the days of every zone are sums of buckets too.

import type { Interface, Status } from '../../../contract/codes.ts';
import type { Range, CountFault } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { NEW_STREAM } from './record-stream.ts';

export const QUARTER = 900;
export const DAY = 86_400;

/** A range split into parts. Each part is a run of buckets of one width; the edges are smaller than a bucket. */
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

interface Tally extends Counted {
  records: number;
}

/** Collects the counts of one transaction, and writes each changed bucket once. */
export function openCountWriter(db: Connection): { add(record: Counted): void; write(): void; discard(): void } {
  const upsert = db.prepare(`
    INSERT INTO counts (journal_id, interface, status, width, starts_at, type, till_id, records)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET records = records + excluded.records`);
  // Each transaction gets new maps, for the reason given in `openLaneCountWriter`.
  let quarters = new Map<string, Tally>();
  let days = new Map<string, Tally>();

  const addTo = (tallies: Map<string, Tally>, record: Counted, width: number): void => {
    const soldAt = Math.floor(record.soldAt / width) * width;
    const { interface: by, status, type, tillId } = record;
    // the key needs no journal, because a till belongs to one journal
    const key = `${tillId} ${by} ${status} ${soldAt} ${type}`;
    const tally = tallies.get(key);
    if (tally === undefined) tallies.set(key, { ...record, soldAt, records: 1 });
    else tally.records += 1;
  };
  const writeAll = (tallies: Map<string, Tally>, width: number): void => {
    for (const { journalId, interface: by, status, soldAt, type, tillId, records } of tallies.values())
      upsert.run(journalId, by, status, width, soldAt, type, tillId, records);
  };

  return {
    add(record) {
      addTo(quarters, record, QUARTER);
      addTo(days, record, DAY);
    },
    write() {
      writeAll(quarters, QUARTER);
      writeAll(days, DAY);
      this.discard();
    },
    discard() {
      quarters = new Map();
      days = new Map();
    },
  };
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

/** SQL condition on `records` that is true for records before the tail (engine/fold.ts). */
export function isFolded(db: Connection): string {
  return hasTail(db) ? 'records.id <= (SELECT folded_until FROM fold)' : 'true';
}

/** Whether the data can have a tail (engine/fold.ts). In data of an earlier version, everything is derived at once. */
export function hasTail(db: Connection): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'fold'").get() !== undefined;
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
      SELECT records.journal_id, records.interface, status, width, sold_at - ((sold_at % width) + width) % width, type, till_id, 0, 1
      FROM records JOIN keys ON keys.id = key_id CROSS JOIN (SELECT ${QUARTER} AS width UNION ALL SELECT ${DAY})
      WHERE ${isFolded(db)}
    )
    GROUP BY journal_id, interface, status, width, starts_at, type, till_id
    HAVING sum(stored) != sum(actual)
    LIMIT ?`)
    .all(limit) as CountFault[];
}
