// The first schema: administrations, journals, tills, keys, records, counts and refusals. Times are integers: `sold_at` in
// epoch seconds, as tills state it, and all other times in epoch milliseconds.

import { randomBytes } from 'node:crypto';

import type { Connection } from '../engine/database.ts';

export function createJournalTables(db: Connection): void {
  db.exec(`
    CREATE TABLE administrations (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE journals (
      id INTEGER PRIMARY KEY,
      administration_id INTEGER NOT NULL REFERENCES administrations,
      mode TEXT NOT NULL CHECK (mode IN ('production', 'test')),
      UNIQUE (administration_id, mode)
    ) STRICT;

    CREATE TABLE tills (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      label TEXT NOT NULL,
      UNIQUE (journal_id, label)
    ) STRICT;

    CREATE TABLE keys (
      id INTEGER PRIMARY KEY,
      till_id INTEGER NOT NULL REFERENCES tills,
      digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
      interface TEXT NOT NULL CHECK (interface IN ('current', 'earlier', 'both')),
      adopted INTEGER NOT NULL CHECK (adopted IN (0, 1)),
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      revoked_at INTEGER
    ) STRICT;

    -- The body comes last, so that reading the other columns never touches its overflow pages.
    CREATE TABLE records (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      key_id INTEGER NOT NULL REFERENCES keys,
      status TEXT NOT NULL CHECK (status IN ('NEW', 'IGNORED', 'ERROR')),
      original_id INTEGER REFERENCES records,
      sold_at INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      external_id TEXT NOT NULL,
      type TEXT NOT NULL,
      digest BLOB NOT NULL CHECK (length(digest) = 32),
      body BLOB NOT NULL,
      CHECK ((status = 'NEW') = (original_id IS NULL))
    ) STRICT;

    -- Dedup: one NEW record per id and journal, permanently.
    CREATE UNIQUE INDEX originals ON records (journal_id, external_id) WHERE status = 'NEW';
    -- Pages of a query: order (sold_at, id), filtered by type without reading the record.
    CREATE INDEX originals_by_sale ON records (journal_id, sold_at, id, type) WHERE status = 'NEW';

    -- Sums of records in buckets of 900 s and of 86,400 s (UTC), kept in the transaction that adds the record.
    CREATE TABLE counts (
      journal_id INTEGER NOT NULL REFERENCES journals,
      status TEXT NOT NULL CHECK (status IN ('NEW', 'IGNORED', 'ERROR')),
      width INTEGER NOT NULL CHECK (width IN (900, 86400)),
      starts_at INTEGER NOT NULL CHECK (starts_at % width = 0),
      type TEXT NOT NULL,
      till_id INTEGER NOT NULL REFERENCES tills,
      records INTEGER NOT NULL CHECK (records > 0),
      PRIMARY KEY (journal_id, status, width, starts_at, type, till_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE refusals (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      address TEXT NOT NULL,
      key_id INTEGER REFERENCES keys,
      method TEXT NOT NULL,
      path TEXT NOT NULL,
      code TEXT NOT NULL,
      detail TEXT NOT NULL,
      excerpt TEXT NOT NULL
    ) STRICT;
    CREATE INDEX refusals_by_time ON refusals (at);

    CREATE TABLE secrets (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT;
  `);
  db.prepare('INSERT INTO secrets (name, value) VALUES (?, ?)').run('cursor', randomBytes(32));
}
