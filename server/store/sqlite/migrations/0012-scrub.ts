// Adds the progress of the scrub, and the damaged records that it found.

import type { Connection } from '../engine/database.ts';

export function addScrub(db: Connection): void {
  db.exec(`
    CREATE TABLE scrubs (
      -- There is one.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      begun_at INTEGER NOT NULL,
      -- Null while it goes on.
      ended_at INTEGER,
      -- Records up to this one have been read.
      after_record_id INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE damaged_records (
      -- No reference, which cannot be checked where the page of the record is damaged.
      record_id INTEGER PRIMARY KEY,
      found_at INTEGER NOT NULL
    ) STRICT;`);
}
