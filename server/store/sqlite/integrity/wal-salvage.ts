// Decides whether a copy of the database is complete with a salvaged write-ahead log (WAL). If not, finds the records that can
// be added one by one. Each record is verified against its SHA-256.

import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';

import Database from 'better-sqlite3';

import type { Interface, Status } from '../../../contract/codes.ts';
import type { Arrival, EarlierCall } from '../../records/ledger.ts';
import { bodyColumns, type BodyRow, isInFile, openBodies, unlessUnreadable } from '../archive/body.ts';
import { closeUntouched, type Connection, isMarked } from '../engine/database.ts';
import { classifyStorageError, errorCode } from '../engine/fault.ts';
import { deriveAfter } from '../engine/fold.ts';
import { hasTail } from '../engine/tail.ts';
import { assertKnownVersion } from '../migrations.ts';
import { listDeliveryFaults } from '../outbox/lane-count.ts';
import { listCountFaults } from '../records/count.ts';
import { digestOf, openComparison, openRecordWriter } from '../records/record.ts';
import { listSaleFaults } from '../records/sale.ts';
import { rebuildSales } from './rebuild-sales.ts';

/** Maximum number of faults that are listed. If there are more faults, not only indexes are damaged. */
const MAX_FAULTS = 100;
/** Messages of `integrity_check` about damaged indexes, which can be rebuilt. SQLite gives no codes for them. */
export const INDEX_FAULT =
  /^(row \d+ (missing from|values differ from) index|wrong # of entries in index|non-unique entry in index)/;
/** The search for records ends after this many consecutive ids without a record. */
const MAX_GAP = 1000;

/** The records that SQLite can read although the WAL is damaged. */
export interface Kept {
  /** The id of the newest of these records; 0 without records. */
  readonly newestId: number;
  /** One digest over the ids and digests of all these records. */
  readonly digest: string;
}

/** Runs `work` on a database with its WAL. Copies nothing from the WAL into the database. */
export function withCopy<T>(file: string, access: 'read' | 'write', work: (db: Connection) => T): T {
  const db = new Database(file, { readonly: access === 'read' });
  try {
    db.pragma('trusted_schema = OFF');
    db.pragma('foreign_keys = ON');
    db.pragma('synchronous = FULL');
    db.pragma('wal_autocheckpoint = 0');
    return work(db);
  } finally {
    closeUntouched(db, file);
    rmSync(`${file}-shm`, { force: true });
  }
}

/** Throws an OperatorError if the data belong to another program or a newer version. */
export function assertOwnData(db: Connection, path: string): void {
  isMarked(db, path);
  assertKnownVersion(db);
}

/** Reads the records up to the damage, as SQLite reads them. Undefined if they cannot be read. */
export function readKept(db: Connection): Kept | undefined {
  return orUndefined(() => {
    const newestId = db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM records').pluck().get() ?? 0;
    return { newestId, digest: digestUpTo(db, newestId) };
  });
}

function digestUpTo(db: Connection, newestId: number): string {
  const rows = db.prepare<[number], { id: number; digest: Buffer }>(
    'SELECT id, digest FROM records WHERE id <= ? ORDER BY id',
  );
  let sum = '';
  let block = '';
  let count = 0;
  for (const { id, digest } of rows.iterate(newestId)) {
    block += `${id} ${digest.toString('base64')}\n`;
    count += 1;
    if (count % 1000 !== 0) continue;
    sum = hash('sha256', sum + block);
    block = '';
  }
  return hash('sha256', sum + block);
}

/** The state of a copy with a salvaged WAL. */
export interface Verified {
  /** Number of records that are missing or damaged. */
  readonly missing: number;
  /** Whether counts, deliveries and references match the records. A database page may be intact but out of date. */
  readonly fits: boolean;
}

/**
 * Verifies a copy and rebuilds damaged indexes and the order of sale. Returns undefined if the structure is damaged, or if a
 * record differs from `before`, the state before the damage.
 */
export function verifyCopy(file: string, before: Kept): Verified | undefined {
  return orUndefined(() => {
    const faults = withCopy(file, 'read', listFaults);
    if (faults.some((fault) => !INDEX_FAULT.test(fault))) return undefined;
    if (faults.length > 0 || withCopy(file, 'read', (db) => listSaleFaults(db, 1)).length > 0) {
      const left = withCopy(file, 'write', (db) => {
        db.exec('REINDEX');
        db.transaction(() => rebuildSales(db)).immediate();
        return listFaults(db);
      });
      if (left.length > 0) return undefined;
    }
    return withCopy(file, 'read', (db) => {
      if (digestUpTo(db, before.newestId) !== before.digest) return undefined;
      const rows = db.prepare<[], BodyRow & { readonly id: number }>(
        `SELECT id, ${bodyColumns(db)} FROM records ORDER BY id`,
      );
      const bodyOf = openBodies(db);
      let [newestId, whole] = [before.newestId, 0];
      for (const { id, ...row } of rows.iterate()) {
        // A body in a file is in no page of this database.
        const isWhole = isInFile(row.archiveBlock) || digestOf(bodyOf(id, row)).equals(row.digest);
        if (id <= before.newestId && !isWhole) return undefined;
        if (id <= before.newestId) continue;
        newestId = id;
        if (isWhole) whole += 1;
      }
      const orphans = db.pragma('foreign_key_check') as unknown[];
      const faults = [...orphans, ...listCountFaults(db, 1), ...listSaleFaults(db, 1), ...listDeliveryFaults(db, 1)];
      return { missing: newestId - before.newestId - whole, fits: faults.length === 0 };
    });
  });
}

/** The messages of `integrity_check`, at most a hundred. */
export function listFaults(db: Connection): string[] {
  const lines = db.pragma(`integrity_check(${MAX_FAULTS})`) as { integrity_check: string }[];
  return lines.map((line) => line.integrity_check).filter((line) => line !== 'ok');
}

export interface FoundRecords {
  readonly rows: readonly { readonly id: number; readonly keyId: number; readonly arrival: Omit<Arrival, 'tillId'> }[];
  readonly newestId: number;
}

interface RecordRow extends BodyRow {
  readonly id: number;
  readonly interface: Interface;
  readonly journalId: number;
  readonly keyId: number;
  readonly version: string | null;
  readonly method: EarlierCall['method'] | null;
  readonly soldAt: number;
  readonly receivedAt: number;
  readonly externalId: string;
  readonly type: string;
}

/** Finds the intact records after an id, one by one. Undefined if no record can be read. */
export function readRecordsAfter(db: Connection, after: number): FoundRecords | undefined {
  return orUndefined(() => {
    const find = db.prepare<[number], RecordRow>(`
      SELECT id, interface, journal_id AS journalId, key_id AS keyId, version, method, sold_at AS soldAt,
        received_at AS receivedAt, external_id AS externalId, type, ${bodyColumns(db)}
      FROM records WHERE id = ?`);
    const bodyOf = openBodies(db);
    const rows: FoundRecords['rows'][number][] = [];
    let newestId = after;
    for (let id = after + 1; id <= newestId + MAX_GAP; id++) {
      const row = orUndefined(() => find.get(id));
      if (row === undefined) continue;
      newestId = id;
      const body = unlessUnreadable(() => bodyOf(id, row));
      if (body === undefined || !digestOf(body).equals(row.digest)) continue;
      const { version, method, digest: _digest, archiveBlock: _block, interface: by, ...arrival } = row;
      const earlier = by === 'earlier' && version !== null && method !== null ? { version, method } : undefined;
      rows.push({ id, keyId: row.keyId, arrival: { ...arrival, body, earlier, isTimedElsewhere: false } });
    }
    return { rows, newestId };
  });
}

/**
 * Adds records with their previous ids. Of the ids up to the newest, returns how many could not be added. Undefined if no
 * record can be added.
 */
export function importRecords(db: Connection, { rows, newestId }: FoundRecords): number | undefined {
  return orUndefined(() => {
    const before = readNewestId(db);
    const addRecord = openRecordWriter(db);
    const listDifferences = openComparison(db);
    const findTill = db.prepare<[number], number>('SELECT till_id FROM keys WHERE id = ?').pluck();
    const setId = db.prepare('UPDATE records SET id = ? WHERE id = ?');
    const addOne = db.transaction(({ id, keyId, arrival }: FoundRecords['rows'][number]): Status | undefined => {
      const tillId = findTill.get(keyId);
      if (tillId === undefined) return undefined;
      let outcome = addRecord({ ...arrival, tillId });
      while (outcome.status === 'uncompared') {
        const { originalId } = outcome;
        const method = arrival.earlier?.method ?? null;
        const differences = listDifferences(originalId, { method, body: arrival.body });
        outcome = addRecord({ ...arrival, tillId, compared: { originalId, differences } });
      }
      if (outcome.recordId !== id) setId.run(id, outcome.recordId);
      return outcome.status;
    });
    let added = 0;
    db.transaction(() => {
      for (const row of rows) if (orUndefined(() => addOne(row)) !== undefined) added += 1;
      if (!hasTail(db)) deriveAfter(db, before); // data of an earlier version have no tail
    }).immediate();
    return newestId - before - added;
  });
}

function readNewestId(db: Connection): number {
  return db.prepare<[], number>('SELECT coalesce(max(id), 0) FROM records').pluck().get() ?? 0;
}

/** Returns undefined if damage makes a statement fail. Throws on a full or failing disk or a lock, which are not damage. */
function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const fault = classifyStorageError(error);
    if (fault === 'full' || fault === 'busy' || errorCode(error)?.startsWith('SQLITE_IOERR') === true) throw error;
    if (error instanceof Database.SqliteError || fault === 'damaged') return undefined;
    throw error;
  }
}
