// Stores the states of deliveries as numbers, to save space: a delivered record keeps its delivery permanently. SQLite
// computes columns with the texts, so no query had to change.

import type { Connection } from '../engine/database.ts';

export function compactDeliveries(db: Connection): void {
  db.exec(`
    CREATE TABLE new_deliveries (
      record_id INTEGER PRIMARY KEY REFERENCES records,
      lane_id INTEGER NOT NULL REFERENCES lanes,
      -- SQLite stores 0 and 1 without a byte: a record that waits, and one that was delivered at the first attempt.
      state_number INTEGER NOT NULL DEFAULT 0 CHECK (state_number BETWEEN 0 AND 3),
      -- Answers that were about this record, and the last of them.
      attempts INTEGER NOT NULL DEFAULT 0,
      answered_at INTEGER,
      answer_status INTEGER,
      -- What the upstream classified it as, where it says so.
      upstream_number INTEGER CHECK (upstream_number BETWEEN 0 AND 2),
      answer TEXT,
      -- Why it was set aside.
      reason TEXT,
      state TEXT NOT NULL AS (
        CASE state_number WHEN 0 THEN 'waiting' WHEN 1 THEN 'delivered' WHEN 2 THEN 'held' ELSE 'set aside' END),
      upstream_status TEXT AS (CASE upstream_number WHEN 0 THEN 'NEW' WHEN 1 THEN 'IGNORED' WHEN 2 THEN 'ERROR' END)
    ) STRICT;

    INSERT INTO new_deliveries
        (record_id, lane_id, state_number, attempts, answered_at, answer_status, upstream_number, answer, reason)
      SELECT record_id, lane_id,
        CASE state WHEN 'waiting' THEN 0 WHEN 'delivered' THEN 1 WHEN 'held' THEN 2 ELSE 3 END,
        attempts, answered_at, answer_status,
        CASE upstream_status WHEN 'NEW' THEN 0 WHEN 'IGNORED' THEN 1 WHEN 'ERROR' THEN 2 END,
        answer, reason
      FROM deliveries ORDER BY record_id;
    DROP TABLE deliveries;
    ALTER TABLE new_deliveries RENAME TO deliveries;
    CREATE INDEX waiting_deliveries ON deliveries (lane_id, record_id) WHERE state_number = 0;
    CREATE INDEX held_deliveries ON deliveries (lane_id, record_id) WHERE state_number = 2;
    CREATE INDEX deliveries_set_aside ON deliveries (lane_id, record_id) WHERE state_number = 3;`);
}
