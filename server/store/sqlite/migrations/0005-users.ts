// Adds users, who sign in to the console with a name and a password.

import type { Connection } from '../engine/database.ts';

export function createUsers(db: Connection): void {
  db.exec(`
    CREATE TABLE users (
      name TEXT PRIMARY KEY COLLATE NOCASE,
      role TEXT NOT NULL CHECK (role IN ('clerk', 'manager')),
      created_at INTEGER NOT NULL,
      -- Of the password only what scrypt makes of it.
      salt BLOB NOT NULL CHECK (length(salt) = 16),
      cost INTEGER NOT NULL,
      digest BLOB NOT NULL CHECK (length(digest) = 32)
    ) STRICT, WITHOUT ROWID;
  `);
}
