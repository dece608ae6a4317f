// Adds the state of the archiver, so that commands can show it.

import type { Connection } from '../engine/database.ts';

export function addArchiveRun(db: Connection): void {
  db.exec(`
    CREATE TABLE archive_run (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- The setting archiveMonths of the gateway; null without an archive.
      months INTEGER,
      -- When a person last requested a run.
      requested_at INTEGER,
      -- When all days that were due had been archived for the last time.
      ended_at INTEGER,
      -- Why no bodies can be archived, and since when; null after a good attempt.
      fault TEXT,
      detail TEXT,
      failed_since INTEGER
    ) STRICT;`);
}
