// Adds what the desktop app needs: the times when the machine slept, for the diary of a day, and the oldest program that can
// use the data. Also adds a digest of each key for an upstream, because a sealed key cannot always be read.

import { hash } from 'node:crypto';

import type { Connection } from '../engine/database.ts';

export function addDesktop(db: Connection): void {
  db.exec(`
    -- Epoch milliseconds.
    CREATE TABLE sleeps (
      id INTEGER PRIMARY KEY,
      from_at INTEGER NOT NULL,
      to_at INTEGER NOT NULL CHECK (to_at > from_at)
    ) STRICT;
    CREATE INDEX sleeps_by_end ON sleeps (to_at);

    -- One row, replaced by each migration. Programs that know this schema version, or a later one, can use the data.
    CREATE TABLE oldest_program (schema INTEGER NOT NULL) STRICT;
    INSERT INTO oldest_program (schema) VALUES (7);

    -- The SHA-256 of the access key that this gateway sends to the upstream. The key itself may be sealed.
    ALTER TABLE lanes ADD COLUMN token_digest TEXT;`);
  const setDigest = db.prepare('UPDATE lanes SET token_digest = ? WHERE id = ?');
  const lanes = db.prepare<[], { id: number; token: string }>('SELECT id, token FROM lanes WHERE token IS NOT NULL');
  for (const { id, token } of lanes.all()) setDigest.run(hash('sha256', token, 'base64'), id);
}
