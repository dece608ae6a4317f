// Stores the files that scheduled backups have written.

import type { Connection } from '../engine/database.ts';
import { isInState } from '../outbox/delivery-state.ts';

export interface BackupFileRow {
  readonly path: string;
  readonly begunAt: number;
  /** Null until the file is complete, and after an interrupted backup. */
  readonly bytes: number | null;
  /** Epoch milliseconds. */
  readonly modifiedAt: number | null;
}

/** Stores that a backup begins, before anything is written. After a crash, the next backup can remove its parts. */
export function beginBackupFile(db: Connection, path: string, now: number): void {
  db.prepare('INSERT INTO backup_files (path, begun_at) VALUES (?, ?)').run(path, now);
}

export function endBackupFile(db: Connection, path: string, bytes: number, modifiedAt: number): void {
  db.prepare('UPDATE backup_files SET bytes = ?, modified_at = ? WHERE path = ?').run(bytes, modifiedAt, path);
}

export function forgetBackupFile(db: Connection, path: string): void {
  db.prepare('DELETE FROM backup_files WHERE path = ?').run(path);
}

/** Newest first. */
export function listBackupFiles(db: Connection): BackupFileRow[] {
  return db
    .prepare<[], BackupFileRow>(
      'SELECT path, begun_at AS begunAt, bytes, modified_at AS modifiedAt FROM backup_files ORDER BY begun_at DESC, path DESC',
    )
    .all();
}

/** Returns a function that counts the records of a journal that are neither upstream nor in the last backup. */
export function openOnlyHereReader(db: Connection): (journalId: number) => number {
  const listLanes = db.prepare<[number], number>('SELECT id FROM lanes WHERE journal_id = ?').pluck();
  const newest = db.prepare<[], number>('SELECT newest_record_id FROM backups').pluck();
  const counts = (['waiting', 'held', 'set aside'] as const).map((state) =>
    db
      .prepare<[number, number], number>(
        `SELECT count(*) FROM deliveries WHERE lane_id = ? AND ${isInState(state)} AND record_id > ?`,
      )
      .pluck(),
  );
  return (journalId) => {
    const after = newest.get() ?? 0;
    return listLanes
      .all(journalId)
      .flatMap((laneId) => counts.map((count) => count.get(laneId, after) ?? 0))
      .reduce((sum, records) => sum + records, 0);
  };
}
