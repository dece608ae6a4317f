// Stores when the last good backup was made. This time is stored after the backup, so a restored backup has only the time of
// the previous backup.

import type { Connection } from '../engine/database.ts';

export function noteBackup(db: Connection, at: number): void {
  db.prepare(
    'INSERT INTO backups (id, made_at) VALUES (1, ?) ON CONFLICT DO UPDATE SET made_at = excluded.made_at',
  ).run(at);
}

/** Reads the time of the last good backup in epoch milliseconds; null without one. */
export function readLastBackup(db: Connection): number | null {
  return db.prepare<[], number>('SELECT made_at FROM backups').pluck().get() ?? null;
}
