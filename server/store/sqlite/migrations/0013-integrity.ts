// Adds the log mark, a number that shows whether the database and its write-ahead log belong together
// (integrity/wal-mark.ts). Also adds the index faults that a scrub found.

import type { Connection } from '../engine/database.ts';

export function addIntegrity(db: Connection): void {
  db.exec(`
    -- The row and its page keep their form: the mark is read from the files without SQLite.
    CREATE TABLE log_marks (
      -- There is one.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      mark TEXT NOT NULL CHECK (length(mark) = 25)
    ) STRICT;
    INSERT INTO log_marks (id, mark) VALUES (1, 'log-mark:0000000000000000');
    CREATE TABLE index_faults (
      -- There is one at most: the last that a scrub found.
      id INTEGER PRIMARY KEY CHECK (id = 1),
      found_at INTEGER NOT NULL,
      detail TEXT NOT NULL
    ) STRICT;`);
}
