// When the last good backup was made. A restored backup knows only the one before it.

import type { Connection } from '../engine/database.ts';

export function noteBackup(db: Connection, at: number): void {
  db.prepare(
    'INSERT INTO backups (id, made_at) VALUES (1, ?) ON CONFLICT DO UPDATE SET made_at = excluded.made_at',
  ).run(at);
}

/** In epoch milliseconds; null without a backup. */
export function readLastBackup(db: Connection): number | null {
  return db.prepare<[], number>('SELECT made_at FROM backups').pluck().get() ?? null;
}
