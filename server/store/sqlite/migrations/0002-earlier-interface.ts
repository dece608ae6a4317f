// Adds the earlier interface: the addresses and end points of each administration, and the interface of each record. The tables
// of records and counts are rebuilt, because the interface becomes part of their unique keys. The body must stay the last
// column. On the earlier interface, `external_id` is the value of the id parameter, and `type` is the resource.

import type { Connection } from '../engine/database.ts';

export function addEarlierInterface(db: Connection): void {
  db.exec(`
    -- The customer in addresses of the earlier interface, in lower case; both columns or neither.
    ALTER TABLE administrations ADD COLUMN customer_name TEXT;
    ALTER TABLE administrations ADD COLUMN customer_id TEXT CHECK ((customer_name IS NULL) = (customer_id IS NULL));
    CREATE UNIQUE INDEX customers ON administrations (customer_name, customer_id);
    -- What the earlier interface accepts: a list of versions, and a list of { name, idParameter }.
    ALTER TABLE administrations ADD COLUMN versions TEXT NOT NULL DEFAULT '["v1"]' CHECK (json_valid(versions));
    ALTER TABLE administrations ADD COLUMN resources TEXT NOT NULL CHECK (json_valid(resources)) DEFAULT
      '[{"name":"transaction","idParameter":"transactionid"},{"name":"cancellations","idParameter":"transactionid"}]';

    -- The body comes last, so that reading the other columns never touches its overflow pages.
    CREATE TABLE new_records (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      key_id INTEGER NOT NULL REFERENCES keys,
      interface TEXT NOT NULL CHECK (interface IN ('current', 'earlier')),
      version TEXT,
      method TEXT CHECK (method IN ('GET', 'POST')),
      status TEXT NOT NULL CHECK (status IN ('NEW', 'IGNORED', 'ERROR')),
      original_id INTEGER REFERENCES new_records,
      sold_at INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      external_id TEXT NOT NULL,
      type TEXT NOT NULL,
      digest BLOB NOT NULL CHECK (length(digest) = 32),
      body BLOB NOT NULL,
      CHECK ((status = 'NEW') = (original_id IS NULL)),
      CHECK ((interface = 'earlier') = (version IS NOT NULL) AND (interface = 'earlier') = (method IS NOT NULL))
    ) STRICT;
    INSERT INTO new_records
      SELECT id, journal_id, key_id, 'current', NULL, NULL, status, original_id, sold_at, received_at, external_id,
        type, digest, body
      FROM records ORDER BY id;
    DROP TABLE records;
    ALTER TABLE new_records RENAME TO records;

    -- Dedup: one NEW record per id and journal, permanently; on the earlier interface per id, resource and journal.
    CREATE UNIQUE INDEX originals ON records (journal_id, external_id)
      WHERE status = 'NEW' AND interface = 'current';
    CREATE UNIQUE INDEX earlier_originals ON records (journal_id, type, external_id)
      WHERE status = 'NEW' AND interface = 'earlier';
    -- Pages of a query: order (sold_at, id), filtered by type without reading the record.
    CREATE INDEX originals_by_sale ON records (journal_id, sold_at, id, type)
      WHERE status = 'NEW' AND interface = 'current';

    CREATE TABLE new_counts (
      journal_id INTEGER NOT NULL REFERENCES journals,
      interface TEXT NOT NULL CHECK (interface IN ('current', 'earlier')),
      status TEXT NOT NULL CHECK (status IN ('NEW', 'IGNORED', 'ERROR')),
      width INTEGER NOT NULL CHECK (width IN (900, 86400)),
      starts_at INTEGER NOT NULL CHECK (starts_at % width = 0),
      type TEXT NOT NULL,
      till_id INTEGER NOT NULL REFERENCES tills,
      records INTEGER NOT NULL CHECK (records > 0),
      PRIMARY KEY (journal_id, interface, status, width, starts_at, type, till_id)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO new_counts
      SELECT journal_id, 'current', status, width, starts_at, type, till_id, records FROM counts;
    DROP TABLE counts;
    ALTER TABLE new_counts RENAME TO counts;
  `);
}
