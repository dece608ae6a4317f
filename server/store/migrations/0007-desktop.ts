// What the desktop app brought: when the machine slept, for the diary of a day, and how far back a version may be that goes on
// with the data.

import type { Connection } from '../database.ts';

export function addDesktop(db: Connection): void {
  db.exec(`
    -- Epoch milliseconds.
    CREATE TABLE sleeps (
      id INTEGER PRIMARY KEY,
      from_at INTEGER NOT NULL,
      to_at INTEGER NOT NULL CHECK (to_at > from_at)
    ) STRICT;
    CREATE INDEX sleeps_by_end ON sleeps (to_at);

    -- One row, set anew by each migration: programs that know this schema, or a later one, can work with the data.
    CREATE TABLE oldest_program (schema INTEGER NOT NULL) STRICT;
    INSERT INTO oldest_program (schema) VALUES (7);`);
}
