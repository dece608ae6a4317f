// Adds the archive: files outside the database with the bodies of old records. `records` must not be rebuilt, because tills wait
// during a migration. So the column comes after the body; it is null, and SQLite reads a null without the pages before it.

import type { Connection } from '../engine/database.ts';

export function addArchive(db: Connection): void {
  db.exec(`
    -- The block that contains the body. \`body\` then has the number of its bytes, as decimal digits.
    ALTER TABLE records ADD COLUMN archive_block INTEGER;
    -- The folder of the setting archiveFolder. Without a row, the folder "archive" beside the database.
    CREATE TABLE archive_folder (id INTEGER PRIMARY KEY CHECK (id = 1), path TEXT NOT NULL) STRICT;
    CREATE TABLE archive_files (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      begun_at INTEGER NOT NULL,
      -- Null until the file is complete. A file without a size is deleted after a crash.
      bytes INTEGER,
      -- Null while records of the file still have their bodies in the database.
      moved_at INTEGER,
      records INTEGER NOT NULL DEFAULT 0,
      body_bytes INTEGER NOT NULL DEFAULT 0,
      -- Why the file cannot be read, and since when.
      fault TEXT,
      fault_since INTEGER
    ) STRICT;
    CREATE TABLE archive_blocks (
      id INTEGER PRIMARY KEY,
      file_id INTEGER NOT NULL,
      offset INTEGER NOT NULL,
      bytes INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX archive_blocks_by_place ON archive_blocks (file_id, offset);
    -- The days that a file contains, and the signature for which they were archived. With another signature, they are due again.
    CREATE TABLE archived_days (
      journal_id INTEGER NOT NULL,
      date TEXT NOT NULL,
      signed_at INTEGER NOT NULL,
      file_id INTEGER,
      PRIMARY KEY (journal_id, date)
    ) STRICT, WITHOUT ROWID;`);
}
