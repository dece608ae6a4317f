// Adds what the console needs: a store's time zone and cut-off, a log of all acts, outages of lanes, one-time links, and keys
// that expire after a rotation. Adds indexes of duplicates by time of sale, and counts of deliveries by time of sale.

import type { Connection } from '../engine/database.ts';

export function prepareForConsole(db: Connection): void {
  db.exec(`
    -- IANA name; null for the machine's own.
    ALTER TABLE administrations ADD COLUMN time_zone TEXT;
    -- Minutes after midnight.
    ALTER TABLE administrations ADD COLUMN day_starts_at INTEGER NOT NULL DEFAULT 0
      CHECK (day_starts_at BETWEEN 0 AND 1439 AND day_starts_at % 15 = 0);

    -- When a replaced key stops working.
    ALTER TABLE keys ADD COLUMN expires_at INTEGER;

    -- What people did, with the names of that time. A name is null if the act is not about such a thing.
    CREATE TABLE new_acts (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      actor TEXT NOT NULL,
      act TEXT NOT NULL,
      administration TEXT,
      mode TEXT CHECK (mode IN ('production', 'test')),
      interface TEXT CHECK (interface IN ('current', 'earlier')),
      detail TEXT NOT NULL
    ) STRICT;
    INSERT INTO new_acts
      SELECT acts.id, at, actor, act, administrations.name, mode, interface, detail
      FROM acts JOIN lanes ON lanes.id = lane_id JOIN journals ON journals.id = lanes.journal_id
      JOIN administrations ON administrations.id = administration_id ORDER BY acts.id;
    DROP TABLE acts;
    ALTER TABLE new_acts RENAME TO acts;

    -- Times in which a lane was not running. An outage that has not ended has no end.
    CREATE TABLE outages (
      id INTEGER PRIMARY KEY,
      lane_id INTEGER NOT NULL REFERENCES lanes,
      state TEXT NOT NULL CHECK (state IN ('line down', 'refused', 'paused')),
      cause TEXT,
      from_at INTEGER NOT NULL,
      to_at INTEGER CHECK (to_at >= from_at)
    ) STRICT;
    CREATE UNIQUE INDEX open_outages ON outages (lane_id) WHERE to_at IS NULL;
    CREATE INDEX outages_by_end ON outages (lane_id, to_at);
    INSERT INTO outages (lane_id, state, cause, from_at)
      SELECT id, state, cause, since FROM lanes WHERE url IS NOT NULL AND state != 'running' AND since IS NOT NULL;

    -- One-time links into the console: only the SHA-256 of each secret is stored.
    CREATE TABLE links (
      digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- Records that originals_by_sale does not have, in the order (sold_at, id) for each interface and status.
    CREATE INDEX others_by_sale ON records (journal_id, interface, status, sold_at, id, type)
      WHERE NOT (status = 'NEW' AND interface = 'current');
    -- Finds the records that repeat an id.
    CREATE INDEX duplicates ON records (journal_id, external_id, id, status) WHERE status != 'NEW';

    -- Deliveries by state and by the quarter hour (UTC) of their sale. Updated in the transaction that changes a delivery.
    CREATE TABLE delivery_counts (
      lane_id INTEGER NOT NULL REFERENCES lanes,
      state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'held', 'set aside')),
      status TEXT NOT NULL CHECK (status IN ('NEW', 'IGNORED', 'ERROR')),
      starts_at INTEGER NOT NULL CHECK (starts_at % 900 = 0),
      deliveries INTEGER NOT NULL CHECK (deliveries >= 0),
      PRIMARY KEY (lane_id, state, status, starts_at)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO delivery_counts
      SELECT lane_id, state, status, sold_at - ((sold_at % 900) + 900) % 900, count(*)
      FROM deliveries JOIN records ON records.id = record_id GROUP BY 1, 2, 3, 4;

    -- For counting the refusals of a period by key.
    DROP INDEX refusals_by_time;
    CREATE INDEX refusals_by_time ON refusals (at, key_id);
  `);
}
