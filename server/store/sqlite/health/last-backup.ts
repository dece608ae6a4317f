// Stores when the last good backup was made, and its newest record. This is stored after the backup, so the backup itself has
// only the values of the previous backup.

import type { Connection } from '../engine/database.ts';

/** `newestRecordId` is the id of the newest record in the backup; 0 without records, or if the backup is on the disk of the data. */
export function noteBackup(db: Connection, at: number, newestRecordId: number): void {
  db.prepare(`
    INSERT INTO backups (id, made_at, newest_record_id) VALUES (1, ?, ?)
    ON CONFLICT DO UPDATE SET made_at = excluded.made_at, newest_record_id = excluded.newest_record_id`).run(
    at,
    newestRecordId,
  );
}

/** Reads the time of the last good backup in epoch milliseconds; null without one. */
export function readLastBackup(db: Connection): number | null {
  return db.prepare<[], number>('SELECT made_at FROM backups').pluck().get() ?? null;
}
