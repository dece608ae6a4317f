// Adds the outbox: a lane per journal and interface, a delivery per record, and acts of people. All existing NEW records now
// wait to be forwarded.

import type { Connection } from '../engine/database.ts';

export function createOutbox(db: Connection): void {
  db.exec(`
    -- The statuses that are forwarded; a list.
    ALTER TABLE administrations ADD COLUMN forwarded TEXT NOT NULL DEFAULT '["NEW"]' CHECK (json_valid(forwarded));

    CREATE TABLE lanes (
      id INTEGER PRIMARY KEY,
      journal_id INTEGER NOT NULL REFERENCES journals,
      interface TEXT NOT NULL CHECK (interface IN ('current', 'earlier')),
      -- The upstream's base address and our key there; both or neither.
      url TEXT,
      token TEXT CHECK ((url IS NULL) = (token IS NULL)),
      paused_at INTEGER,
      -- When somebody last asked to try now.
      tried_at INTEGER,
      -- The gateways that its records came through; a list of ids.
      senders TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(senders)),
      -- What the gateway last said of it, and the last delivery.
      state TEXT CHECK (state IN ('running', 'line down', 'refused', 'paused')),
      cause TEXT,
      since INTEGER,
      delivered_at INTEGER,
      per_second REAL,
      -- Deliveries by state, kept in the transaction that changes them.
      waiting INTEGER NOT NULL DEFAULT 0 CHECK (waiting >= 0),
      delivered INTEGER NOT NULL DEFAULT 0 CHECK (delivered >= 0),
      held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
      set_aside INTEGER NOT NULL DEFAULT 0 CHECK (set_aside >= 0),
      UNIQUE (journal_id, interface)
    ) STRICT;

    CREATE TABLE deliveries (
      record_id INTEGER PRIMARY KEY REFERENCES records,
      lane_id INTEGER NOT NULL REFERENCES lanes,
      state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'held', 'set aside')),
      -- Answers that were about this record, and the last of them.
      attempts INTEGER NOT NULL DEFAULT 0,
      answered_at INTEGER,
      answer_status INTEGER,
      answer TEXT,
      -- What the upstream classified it as, where it says so.
      upstream_status TEXT CHECK (upstream_status IN ('NEW', 'IGNORED', 'ERROR')),
      -- Why it was set aside.
      reason TEXT
    ) STRICT;
    CREATE INDEX waiting_deliveries ON deliveries (lane_id, record_id) WHERE state = 'waiting';
    CREATE INDEX held_deliveries ON deliveries (lane_id, record_id) WHERE state = 'held';
    CREATE INDEX deliveries_set_aside ON deliveries (lane_id, record_id) WHERE state = 'set aside';

    CREATE TABLE acts (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      actor TEXT NOT NULL,
      lane_id INTEGER NOT NULL REFERENCES lanes,
      act TEXT NOT NULL,
      detail TEXT NOT NULL
    ) STRICT;

    INSERT INTO lanes (journal_id, interface) SELECT id, 'current' FROM journals UNION ALL SELECT id, 'earlier' FROM journals;
    INSERT INTO deliveries (record_id, lane_id)
      SELECT records.id, lanes.id FROM records
      JOIN lanes ON lanes.journal_id = records.journal_id AND lanes.interface = records.interface
      WHERE status = 'NEW' ORDER BY records.id;
    UPDATE lanes SET waiting = (SELECT count(*) FROM deliveries WHERE lane_id = lanes.id AND deliveries.state = 'waiting');
  `);
}
