// Adds the tokens with which programs read the console's API.

import type { Connection } from '../engine/database.ts';

export function addReadTokens(db: Connection): void {
  db.exec(`
    CREATE TABLE read_tokens (
      name TEXT PRIMARY KEY COLLATE NOCASE,
      digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
      -- Epoch milliseconds.
      created_at INTEGER NOT NULL,
      -- Null until the first use. Written at most once an hour.
      used_at INTEGER
    ) STRICT, WITHOUT ROWID;`);
}
