// Makes data directories of earlier versions and dumps their content, for the tests of migrations.

import { hash } from 'node:crypto';

import type { Interface, Status } from '../../server/contract/codes.ts';
import { type Connection, databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';
import { migrate, schemaVersion } from '../../server/store/sqlite/migrations.ts';
import { temporaryFolder } from './temp-store.ts';

/** The secrets of the keys 1 to 4. */
export const SECRETS = ['prod_0123456789', 'prod_adopted-by-hand', 'test_0123456789', 'prod_of-the-cafe'];
const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');

const bodyOf = (externalId: string, type: string, soldAt: number, total: number): string => {
  const timestamp = `${new Date(soldAt * 1000).toISOString().slice(0, 19)}Z`;
  return JSON.stringify({ type, external_id: externalId, timestamp, object: { total } });
};
/**
 * 2025-10-09T08:53:20Z, the usual time of sale. The next three times are in another quarter hour, on another day and before
 * 1970.
 */
export const SOLD_AT = 1_760_000_000;
const [LATER, NEXT_DAY, LONG_AGO] = [SOLD_AT + 1000, SOLD_AT + 86_400, -1];

/** Rows with the members id, journal, key, status, original, sold at, external_id, type, total. */
export const RECORDS = [
  [1, 1, 1, 'NEW', null, SOLD_AT, 'a', 'sale', 1],
  [2, 1, 1, 'IGNORED', 1, SOLD_AT, 'a', 'sale', 1],
  [3, 1, 2, 'ERROR', 1, LATER, 'a', 'sale', 2],
  [4, 1, 2, 'NEW', null, LATER, 'b', 'refund', 1],
  [5, 1, 2, 'NEW', null, NEXT_DAY, 'c', 'sale', 1],
  [7, 1, 1, 'NEW', null, LONG_AGO, 'old', 'sale', 1], // id 6 is missing, as after a commit that failed
  [8, 2, 3, 'NEW', null, SOLD_AT, 'a', 'sale', 9],
  [9, 2, 3, 'IGNORED', 8, SOLD_AT, 'a', 'sale', 9],
  [10, 3, 4, 'NEW', null, SOLD_AT, 'a', 'transaction', 1],
  [11, 1, 1, 'ERROR', 4, SOLD_AT, 'b', 'sale', 1],
] as const;

const TO_SCHEMA_16 = `
  DROP TABLE read_tokens;
  DROP TABLE backup_files;
  DROP TABLE restores;
  ALTER TABLE lanes DROP COLUMN asks_up_to;
  ALTER TABLE refusals DROP COLUMN faults;
  DROP TABLE declared_amounts;
  ALTER TABLE sign_offs DROP COLUMN amounts;
  DROP TABLE alerts;
  DROP TABLE alert_receivers;
  DROP TABLE mail_server;
  DROP TABLE amount_days;
  DROP TABLE amount_sums;
  DROP TABLE amount_rules;
  DROP TABLE tasks;
  DROP TABLE task_views;
  DROP TABLE archive_folder;
  DROP TABLE archive_files;
  DROP TABLE archive_blocks;
  DROP TABLE archived_days;
  DROP TABLE packs;
  DROP TABLE archive_run;
  ALTER TABLE records DROP COLUMN archive_block;
  DROP TABLE backups;
  DROP TABLE fold;
  DROP TABLE sales;
  CREATE INDEX originals_by_sale ON records (journal_id, sold_at, id, type)
    WHERE status = 'NEW' AND interface = 'current';
  CREATE INDEX others_by_sale ON records (journal_id, interface, status, sold_at, id, type)
    WHERE NOT (status = 'NEW' AND interface = 'current');
  CREATE TABLE old_deliveries (
    record_id INTEGER PRIMARY KEY REFERENCES records,
    lane_id INTEGER NOT NULL REFERENCES lanes,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'held', 'set aside')),
    attempts INTEGER NOT NULL DEFAULT 0,
    answered_at INTEGER,
    answer_status INTEGER,
    answer TEXT,
    upstream_status TEXT CHECK (upstream_status IN ('NEW', 'IGNORED', 'ERROR')),
    reason TEXT
  ) STRICT;
  INSERT INTO old_deliveries
    SELECT record_id, lane_id, state, attempts, answered_at, answer_status, answer, upstream_status, reason FROM deliveries;
  DROP TABLE deliveries;
  ALTER TABLE old_deliveries RENAME TO deliveries;
  CREATE INDEX waiting_deliveries ON deliveries (lane_id, record_id) WHERE state = 'waiting';
  CREATE INDEX held_deliveries ON deliveries (lane_id, record_id) WHERE state = 'held';
  CREATE INDEX deliveries_set_aside ON deliveries (lane_id, record_id) WHERE state = 'set aside';
  PRAGMA user_version = 16;`;

/** Turns data of the newest schema, whose records are all folded, into data of schema 16. */
export function turnBackToSchema16(db: Connection): void {
  db.exec(TO_SCHEMA_16);
  db.unsafeMode(); // SQLite's own table sqlite_sequence cannot be dropped
  db.exec("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'sqlite_sequence'");
  db.exec('PRAGMA writable_schema = RESET');
  db.unsafeMode(false);
}

/** A data directory at schema 1, with rows in the form of that version. */
export function folderAtVersion1(): string {
  const dataDir = temporaryFolder();
  withDatabase(dataDir, (db) => {
    migrate(db, 1);
    db.exec(`
      INSERT INTO administrations (id, name, created_at) VALUES (1, 'Bakery', 1000), (2, 'Café', 2000);
      INSERT INTO journals (id, administration_id, mode) VALUES (1, 1, 'production'), (2, 1, 'test'), (3, 2, 'production');
      INSERT INTO tills (id, journal_id, label) VALUES (1, 1, 'Till 1'), (2, 1, 'Till 2'), (3, 2, 'Till 1'), (4, 3, 'Bar');`);
    const key = db.prepare(
      'INSERT INTO keys (id, till_id, digest, interface, adopted, created_at, last_used_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    key.run(1, 1, digestOf(SECRETS[0] ?? ''), 'both', 0, 1000, 5000, null);
    key.run(2, 2, digestOf(SECRETS[1] ?? ''), 'current', 1, 1000, null, 6000);
    key.run(3, 3, digestOf(SECRETS[2] ?? ''), 'earlier', 0, 1000, null, null);
    key.run(4, 4, digestOf(SECRETS[3] ?? ''), 'both', 0, 1000, null, null);
    db.exec(`
      INSERT INTO refusals (id, at, address, key_id, method, path, code, detail, excerpt) VALUES
        (1, 1000, '192.0.2.1', 2, 'POST', '/v1/raw_transactions', 'field_invalid', 'type is required.', '{"xxx":0}'),
        (2, 2000, '192.0.2.2', NULL, 'GET', '/nowhere', 'not_found', 'Nothing is here.', '')`);
    const record = db.prepare(`
      INSERT INTO records (id, journal_id, key_id, status, original_id, sold_at, received_at, external_id, type, digest, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    const count = db.prepare(`
      INSERT INTO counts (journal_id, status, width, starts_at, type, till_id, records) VALUES (?, ?, ?, ?, ?, ?, 1)
      ON CONFLICT DO UPDATE SET records = records + 1`);
    for (const [id, journalId, keyId, status, originalId, soldAt, externalId, type, total] of RECORDS) {
      const body = bodyOf(externalId, type, soldAt, total);
      record.run(
        id,
        journalId,
        keyId,
        status,
        originalId,
        soldAt,
        1_760_000_000_000 + id,
        externalId,
        type,
        digestOf(body),
        Buffer.from(body),
      );
      for (const width of [900, 86_400])
        // each till has one key, so the key's id is also the till's id
        count.run(journalId, status, width, Math.floor(soldAt / width) * width, type, keyId);
    }
  });
  return dataDir;
}

/**
 * Rows of the earlier interface with the members id, journal, key, method, status, original, external_id, resource, body or
 * query string.
 */
const EARLIER_RECORDS = [
  [12, 1, 1, 'GET', 'NEW', null, 'a', 'transaction', 'transactionid=a&amount=1'],
  [13, 1, 1, 'GET', 'IGNORED', 12, 'a', 'transaction', 'transactionid=a&amount=1'],
  [14, 1, 2, 'POST', 'ERROR', 12, 'a', 'transaction', '{"transactionid":"a","amount":2}'],
  [15, 1, 1, 'POST', 'NEW', null, 'a', 'cancellations', '{"data":{"transactionid":"a"}}'],
  [16, 2, 3, 'GET', 'NEW', null, 'b', 'transaction', 'transactionid=b'],
  [18, 1, 1, 'GET', 'NEW', null, 'b', 'transaction', 'transactionid=b'],
] as const;

/**
 * A data directory at schema 2. It contains the data of schema 1, records of the earlier interface as that version stored them,
 * and one more record of the current interface.
 */
export function folderAtVersion2(): string {
  const dataDir = folderAtVersion1();
  withDatabase(dataDir, (db) => {
    migrate(db, 2);
    db.exec("UPDATE administrations SET customer_name = 'bakery', customer_id = '42' WHERE id = 1");
    const record = db.prepare(`
      INSERT INTO records (id, journal_id, key_id, interface, version, method, status, original_id, sold_at, received_at, external_id, type, digest, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ${SOLD_AT}, 1760000000000, ?, ?, ?, ?)`);
    const count = db.prepare(`
      INSERT INTO counts (journal_id, interface, status, width, starts_at, type, till_id, records)
      VALUES (@journalId, @by, @status, @width, ${SOLD_AT} - ${SOLD_AT} % @width, @type, @tillId, 1)
      ON CONFLICT DO UPDATE SET records = records + 1`);
    const add = (
      [id, journalId, keyId, method, status, originalId, externalId, type, text]: Row,
      by: Interface,
      version: string | null,
    ): void => {
      const body = Buffer.from(text);
      record.run(id, journalId, keyId, by, version, method, status, originalId, externalId, type, digestOf(text), body);
      for (const width of [900, 86_400]) count.run({ journalId, by, status, width, type, tillId: keyId });
    };
    for (const row of EARLIER_RECORDS) add(row, 'earlier', 'v1');
    add([17, 1, 1, null, 'NEW', null, 'd', 'sale', bodyOf('d', 'sale', SOLD_AT, 1)], 'current', null);
  });
  return dataDir;
}

type Row = readonly [number, number, number, string | null, Status, number | null, string, string, string];

export function withDatabase<T>(dataDir: string, work: (db: Connection) => T): T {
  const db = openDatabase(databasePath(dataDir), 'write');
  try {
    return work(db);
  } finally {
    db.close();
  }
}

export type Rows = Record<string, Record<string, unknown>[]>;

/** Every row of every table. */
export function rowsOf(db: Connection): Rows {
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all() as string[];
  return Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()])) as Rows;
}

/** The whole content of a database, with its schema. */
export function everythingIn(db: Connection): unknown {
  const schema = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').all();
  return { version: schemaVersion(db), schema, rows: rowsOf(db) };
}
