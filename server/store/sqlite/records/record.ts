// Adds records with their status, pages through them and verifies them. Deduplication uses two partial unique indexes, one per
// interface: the insert itself decides whether a record is NEW.

import { hash } from 'node:crypto';

import type { Interface } from '../../../contract/codes.ts';
import { listDifferences } from '../../records/comparison.ts';
import { contentOf, type KeptCall } from '../../records/content.ts';
import type { Range, Outcome, Arrival, PageRow, SalePosition } from '../../records/ledger.ts';
import {
  type ArchiveUnreadableError,
  bodyBytes,
  bodyColumns,
  type BodyRow,
  openBodies,
  unlessUnreadable,
} from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import { NEW_STREAM } from './record-stream.ts';
import { SALES_WITH_RECORDS } from './sale.ts';

export function interfaceOf(arrival: Pick<Arrival, 'earlier'>): Interface {
  return arrival.earlier === undefined ? 'current' : 'earlier';
}

/**
 * The id of a call is already stored with other bytes, so the call was not stored. The caller compares the call with this
 * original, then adds the call again.
 */
export interface Uncompared {
  readonly status: 'uncompared';
  readonly originalId: number;
  /** The size of the original's body in bytes. */
  readonly originalBytes: number;
}

/** Returns the SHA-256 that is stored with a record. */
export function digestOf(body: Uint8Array): Buffer {
  return hash('sha256', body, 'buffer');
}

/** Thrown when a stored body does not match its SHA-256. */
export class RecordDamagedError extends Error {
  readonly code = 'COUNTERFOIL_DAMAGED';
  constructor(recordId: number) {
    super(`record ${recordId} is damaged on disk: its bytes do not match their SHA-256`);
  }
}

/** The columns that identify an original within its interface. They are the columns of the unique index. */
const DEDUP_COLUMNS: Record<Interface, string> = {
  current: 'journal_id, external_id',
  earlier: 'journal_id, type, external_id',
};
/** Exported for the test that asserts the query plans. */
export const FIND_ORIGINAL_SQL: Record<Interface, (db: Connection) => string> = {
  current: (db) => `
    SELECT id, method, digest, ${bodyBytes(db)} AS bytes FROM records
    WHERE journal_id = @journalId AND external_id = @externalId AND status = 'NEW' AND interface = 'current'`,
  earlier: (db) => `
    SELECT id, method, digest, ${bodyBytes(db)} AS bytes FROM records
    WHERE journal_id = @journalId AND type = @type AND external_id = @externalId AND status = 'NEW' AND interface = 'earlier'`,
};

interface Original {
  readonly id: number;
  readonly method: KeptCall['method'];
  readonly digest: Buffer;
  readonly bytes: number;
}

/**
 * Adds an arrival as a record, within the caller's transaction, and returns the outcome. Does not compare contents, because a
 * comparison may take long.
 */
export function openRecordWriter(db: Connection): (arrival: Arrival) => Outcome | Uncompared {
  const prepareFor = (by: Interface) => ({
    insertOriginal: db.prepare(`
      INSERT INTO records (interface, status, journal_id, key_id, version, method, sold_at, received_at, external_id, type, digest, body)
      VALUES ('${by}', 'NEW', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (${DEDUP_COLUMNS[by]}) WHERE status = 'NEW' AND interface = '${by}' DO NOTHING`),
    insertDuplicate: db.prepare(`
      INSERT INTO records (interface, status, original_id, journal_id, key_id, version, method, sold_at, received_at, external_id, type, digest, body)
      VALUES ('${by}', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    findOriginal: db.prepare(FIND_ORIGINAL_SQL[by](db)),
  });
  const statements = { current: prepareFor('current'), earlier: prepareFor('earlier') };

  return (arrival) => {
    const { journalId, keyId, earlier, soldAt, receivedAt, externalId, type, body, compared } = arrival;
    const { insertOriginal, insertDuplicate, findOriginal } = statements[interfaceOf(arrival)];
    const digest = digestOf(body);
    const method = earlier?.method ?? null;
    const columns = [
      journalId,
      keyId,
      earlier?.version ?? null,
      method,
      soldAt,
      receivedAt,
      externalId,
      type,
      digest,
      body,
    ];
    const inserted = insertOriginal.run(columns);
    if (inserted.changes === 1) return { status: 'NEW', recordId: Number(inserted.lastInsertRowid) };

    const original = findOriginal.get({ journalId, type, externalId }) as Original;
    // The same bytes mean something else in a query string than in a body.
    const isSame = method === original.method && digest.equals(original.digest);
    if (!isSame && compared?.originalId !== original.id)
      return { status: 'uncompared', originalId: original.id, originalBytes: original.bytes };
    const differences = isSame ? [] : (compared?.differences ?? []);
    const status = differences.length === 0 ? 'IGNORED' : 'ERROR';
    const { lastInsertRowid } = insertDuplicate.run(status, original.id, columns);
    const known = { recordId: Number(lastInsertRowid), originalId: original.id };
    return status === 'IGNORED' ? { status, ...known } : { status, ...known, differences };
  };
}

/**
 * Lists the differences between a resent call and a record. Throws a RecordDamagedError if the record is damaged, and an
 * ArchiveUnreadableError if its archive file cannot be read.
 */
export function openComparison(db: Connection): (originalId: number, resent: KeptCall) => string[] {
  const getStored = db.prepare<[number], BodyRow & Pick<KeptCall, 'method'>>(
    `SELECT method, ${bodyColumns(db)} FROM records WHERE id = ?`,
  );
  const bodyOf = openBodies(db);
  return (originalId, resent) => {
    const row = getStored.get(originalId);
    if (row === undefined) throw new Error(`there is no record ${originalId} to compare with`);
    const stored = { method: row.method, body: bodyOf(originalId, row) };
    if (!digestOf(stored.body).equals(row.digest)) throw new RecordDamagedError(originalId);
    return listDifferences(contentOf(stored), contentOf(resent));
  };
}

export interface PageQuery {
  readonly journalId: number;
  readonly range: Range;
  readonly type: string | undefined;
  readonly after: SalePosition | undefined;
  /** The id of the newest record when the first page was read. The pages leave out later records. */
  readonly highWaterId: number;
  readonly limit: number;
}

const PAGE_COLUMNS = `
  SELECT record_id AS recordId, sales.sold_at AS soldAt, external_id AS externalId, sales.type FROM ${SALES_WITH_RECORDS}`;
const PAGE_FILTER = `
  sales.journal_id = @journalId AND stream = ${NEW_STREAM.current} AND record_id <= @highWaterId AND (@type IS NULL OR sales.type = @type)`;
/**
 * A page has the remaining records of the second at which it begins, and then records of later seconds. SQLite does not search
 * by (sold_at, id) as a pair, and a whole day may have one timestamp. Exported for the test of its query plan.
 */
export const PAGE_SQL = {
  sameSecond: `${PAGE_COLUMNS} WHERE ${PAGE_FILTER} AND sales.sold_at = @soldAt AND record_id > @recordId ORDER BY record_id LIMIT @limit`,
  laterSeconds: `${PAGE_COLUMNS} WHERE ${PAGE_FILTER} AND sales.sold_at > @soldAt AND sales.sold_at < @to ORDER BY sales.sold_at, record_id LIMIT @limit`,
};

/** Lists one page of NEW records, sorted by time of sale and then by id. */
export function openPageReader(db: Connection): (query: PageQuery) => PageRow[] {
  const listSameSecond = db.prepare<unknown[], PageRow>(PAGE_SQL.sameSecond);
  const listLaterSeconds = db.prepare<unknown[], PageRow>(PAGE_SQL.laterSeconds);
  return ({ journalId, range, type = null, after, highWaterId, limit }) => {
    const { soldAt, recordId } = after ?? { soldAt: range.from, recordId: 0 };
    const scope = { journalId, type, highWaterId, soldAt };
    const rows = listSameSecond.all({ ...scope, recordId, limit });
    return rows.length === limit
      ? rows
      : rows.concat(listLaterSeconds.all({ ...scope, to: range.to, limit: limit - rows.length }));
  };
}

/**
 * Lists the ids of records whose bytes do not match their SHA-256. Reads all records, or stops after `limit` damaged records.
 * Leaves out records whose archive file cannot be read: that is a fault of the file, which `onFileFault` gets for each record.
 */
export function listDamagedRecords(
  db: Connection,
  limit: number,
  onRead?: (records: number) => void,
  onFileFault?: (error: ArchiveUnreadableError) => void,
): number[] {
  const rows = db
    .prepare<[], BodyRow & { readonly id: number }>(`SELECT id, ${bodyColumns(db)} FROM records`)
    .iterate();
  const bodyOf = openBodies(db);
  const damaged: number[] = [];
  let records = 0;
  for (const row of rows) {
    records += 1;
    onRead?.(records);
    const body = unlessUnreadable(() => bodyOf(row.id, row), onFileFault);
    if (body !== undefined && !digestOf(body).equals(row.digest)) damaged.push(row.id);
    if (damaged.length === limit) break;
  }
  return damaged;
}
