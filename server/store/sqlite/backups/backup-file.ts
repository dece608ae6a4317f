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
  /** Null until the file is complete. Also null if an earlier version made it. */
  readonly records: number | null;
}

/** Some file systems store the time of a change in steps of two seconds. */
const TIME_STEP_MS = 2000;

/** Whether a file is still the complete backup of the row. */
export function isSameFile(
  row: Pick<BackupFileRow, 'bytes' | 'modifiedAt'>,
  found: { readonly bytes: number; readonly modifiedAt: number },
): boolean {
  if (row.bytes === null || row.modifiedAt === null) return false;
  return found.bytes === row.bytes && Math.abs(found.modifiedAt - row.modifiedAt) <= TIME_STEP_MS;
}

/** A complete file of a backup. */
export interface CompleteFile {
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  readonly records: number;
}

/** Stores that a backup begins, before anything is written. After a crash, the next backup can remove its parts. */
export function beginBackupFile(db: Connection, path: string, now: number): void {
  db.prepare('INSERT INTO backup_files (path, begun_at) VALUES (?, ?)').run(path, now);
}

export function endBackupFile(db: Connection, path: string, complete: CompleteFile): void {
  const { bytes, modifiedAt, records } = complete;
  db.prepare('UPDATE backup_files SET bytes = ?, modified_at = ?, records = ? WHERE path = ?').run(
    bytes,
    modifiedAt,
    records,
    path,
  );
}

export function forgetBackupFile(db: Connection, path: string): void {
  db.prepare('DELETE FROM backup_files WHERE path = ?').run(path);
}

/** Newest first. */
export function listBackupFiles(db: Connection): BackupFileRow[] {
  return db
    .prepare<[], BackupFileRow>(
      'SELECT path, begun_at AS begunAt, bytes, modified_at AS modifiedAt, records FROM backup_files ORDER BY begun_at DESC, path DESC',
    )
    .all();
}

/** Returns a function that counts the records of a journal that are neither upstream nor in the last backup. */
export function openOnlyHereReader(db: Connection): (journalId: number) => number {
  const listLanes = db.prepare<[number], number>('SELECT id FROM lanes WHERE journal_id = ?').pluck();
  const newest = db.prepare<[], number>('SELECT newest_record_id FROM backups').pluck();
  const countUnsent = openUnsentReader(db);
  return (journalId) => {
    const after = newest.get() ?? 0;
    return listLanes.all(journalId).reduce((sum, laneId) => sum + countUnsent(laneId, after), 0);
  };
}

/** Returns a function that counts the records of a lane that arrived after a record and are not upstream. */
export function openUnsentReader(db: Connection): (laneId: number, after: number) => number {
  const counts = (['waiting', 'held', 'set aside'] as const).map((state) =>
    db
      .prepare<[number, number], number>(
        `SELECT count(*) FROM deliveries WHERE lane_id = ? AND ${isInState(state)} AND record_id > ?`,
      )
      .pluck(),
  );
  return (laneId, after) => counts.reduce((sum, count) => sum + (count.get(laneId, after) ?? 0), 0);
}
