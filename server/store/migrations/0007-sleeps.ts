// When the machine slept, for the diary of a day.

import type { Connection } from '../database.ts';

export function createSleeps(db: Connection): void {
  db.exec(`
    -- Epoch milliseconds.
    CREATE TABLE sleeps (
      id INTEGER PRIMARY KEY,
      from_at INTEGER NOT NULL,
      to_at INTEGER NOT NULL CHECK (to_at > from_at)
    ) STRICT;
    CREATE INDEX sleeps_by_end ON sleeps (to_at);`);
}
