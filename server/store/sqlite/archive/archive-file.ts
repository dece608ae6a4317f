// Stores the files of the archive, and moves bodies from the database into them.

import type { ArchiveFault, ArchiveSummary } from '../../../contract/archive.ts';
import type { DayToArchive } from '../../archive/ledger.ts';
import { type Connection, hasTable } from '../engine/database.ts';
import { isKnownFile } from '../integrity/known-file.ts';
import { openBodyMover, withoutReferences } from './body-mover.ts';
import { archiveFolders, bodyInBlock, type BodyRow, IS_IN_DATABASE_SQL, readArchiveBlock } from './body.ts';
import type { BlockPlace } from './file.ts';
import { openPackClearer } from './pack.ts';
import { readArchiveRun } from './run.ts';

export interface ArchiveFileRow {
  readonly id: number;
  readonly name: string;
  /** Null until the file is complete. */
  readonly bytes: number | null;
  /** Null while bodies of this file are still in the database. */
  readonly movedAt: number | null;
  readonly fault: ArchiveFault | null;
}

/** A block that was read back from the disk, with the records whose bodies it contains. */
export interface IndexedBlock extends BlockPlace {
  readonly recordIds: readonly number[];
}

export interface ArchiveFaultNote {
  readonly id: number;
  readonly fault: ArchiveFault | null;
}

/** Sets the folder of new files. Undefined for the folder beside the database. */
export function useArchiveFolder(db: Connection, folder: string | undefined): void {
  db.prepare('DELETE FROM archive_folder').run();
  if (folder !== undefined && folder !== archiveFolders(db)[0])
    db.prepare('INSERT INTO archive_folder (id, path) VALUES (1, ?)').run(folder);
}

/** Sets the folder in which the files are, if none is set. */
export function keepArchiveFolder(db: Connection, folder: string): void {
  db.prepare('INSERT INTO archive_folder (id, path) VALUES (1, ?) ON CONFLICT DO NOTHING').run(folder);
}

export function listArchiveFiles(db: Connection): ArchiveFileRow[] {
  return db
    .prepare<[], ArchiveFileRow>('SELECT id, name, bytes, moved_at AS movedAt, fault FROM archive_files ORDER BY id')
    .all();
}

/** Stores that a file begins, before anything is written. After a crash, it is found and deleted. */
export function beginArchiveFile(db: Connection, name: string, now: number): number {
  const { lastInsertRowid } = db.prepare('INSERT INTO archive_files (name, begun_at) VALUES (?, ?)').run(name, now);
  return Number(lastInsertRowid);
}

/** Stores that a file is complete. Its days are done when its bodies are moved. */
export function endArchiveFile(db: Connection, id: number, bytes: number, days: readonly DayToArchive[]): void {
  db.prepare('UPDATE archive_files SET bytes = ? WHERE id = ?').run(bytes, id);
  noteArchivedDays(db, days, id);
}

/** Stores days that have no body to archive. */
export function noteArchivedDays(db: Connection, days: readonly DayToArchive[], fileId: number | null): void {
  const note = db.prepare(
    'INSERT OR REPLACE INTO archived_days (journal_id, date, signed_at, file_id) VALUES (?, ?, ?, ?)',
  );
  for (const { journalId, date, signedAt } of days) note.run(journalId, date, signedAt, fileId);
}

/**
 * Gives up a file that cannot be read back. The bodies that were not moved into it stay in the database, and its days are due
 * again. Returns whether the file can be deleted and then forgotten: no body was moved, and these data have written it. Copied data
 * forget the file, because the data that they were copied from may use it.
 */
export function giveUpArchiveFile(db: Connection, id: number, now: number): boolean {
  db.prepare('DELETE FROM archived_days WHERE file_id = ?').run(id);
  const isUsed = db.prepare('SELECT 1 FROM archive_blocks WHERE file_id = ?').get(id) !== undefined;
  if (!isUsed && isKnownFile(db)) return true;
  if (isUsed) endArchiveMove(db, id, now);
  else forgetArchiveFile(db, id);
  return false;
}

export function forgetArchiveFile(db: Connection, id: number): void {
  db.prepare('DELETE FROM archive_files WHERE id = ?').run(id);
}

/** The days of a journal that are archived, with the time of their signatures. */
export function listArchivedDays(db: Connection, journalId: number): Map<string, number> {
  return new Map(
    db
      .prepare<[number], [string, number]>('SELECT date, signed_at FROM archived_days WHERE journal_id = ?')
      .raw()
      .all(journalId),
  );
}

/**
 * Removes the files without archived bodies from a copy of the data, makes their days due again, and forgets the last run. The data that the copy was made
 * of may have completed these files, so the copy must not delete or use them.
 */
export function forgetUnusedFiles(db: Connection): void {
  if (!hasTable(db, 'archive_files')) return;
  const unused = 'NOT EXISTS (SELECT 1 FROM archive_blocks WHERE archive_blocks.file_id = ';
  db.exec(`
    DELETE FROM archived_days WHERE file_id IS NOT NULL AND ${unused}archived_days.file_id);
    DELETE FROM archive_files WHERE ${unused}archive_files.id);`);
  if (hasTable(db, 'archive_run')) db.exec('DELETE FROM archive_run');
}

/**
 * Returns a function that moves the bodies of one block out of the database, within a transaction of its own. Safe to call twice.
 * First reads the block back, because the file may have changed since it was compared. Throws an ArchiveUnreadableError; the bodies
 * then stay.
 */
export function openArchiveMove(db: Connection): (fileId: number, block: IndexedBlock) => void {
  const findBlock = db.prepare('SELECT 1 FROM archive_blocks WHERE file_id = ? AND offset = ?');
  const addBlock = db.prepare('INSERT INTO archive_blocks (file_id, offset, bytes) VALUES (?, ?, ?)');
  const findName = db.prepare<[number], string>('SELECT name FROM archive_files WHERE id = ?').pluck();
  const list = db.prepare<[string], Omit<BodyRow, 'body'> & { readonly id: number }>(`
    SELECT id, digest, archive_block AS archiveBlock FROM records
    WHERE id IN (SELECT value FROM json_each(?)) AND ${IS_IN_DATABASE_SQL}`);
  const moveBodies = openBodyMover(db);
  const clearPacks = openPackClearer(db);
  const addSums = db.prepare(
    'UPDATE archive_files SET records = records + ?, body_bytes = body_bytes + ? WHERE id = ?',
  );

  const move = db.transaction((fileId: number, { offset, bytes, recordIds }: IndexedBlock) => {
    if (findBlock.get(fileId, offset) !== undefined) return;
    const block = readArchiveBlock(db, findName.get(fileId) ?? '', { offset, bytes });
    const stored = list.all(JSON.stringify(recordIds));
    for (const { id, digest } of stored) bodyInBlock(block, id, digest);
    const { lastInsertRowid } = addBlock.run(fileId, offset, bytes);
    const ids = stored.map(({ id }) => id);
    const movedBytes = moveBodies(ids, Number(lastInsertRowid));
    clearPacks(new Set(stored.map(({ archiveBlock }) => archiveBlock).filter((block) => block !== null)));
    addSums.run(ids.length, movedBytes, fileId);
  });
  return (fileId, block) => withoutReferences(db, () => move.immediate(fileId, block));
}

/** Stores that the database has no body of this file any more. */
export function endArchiveMove(db: Connection, id: number, now: number): void {
  db.prepare('UPDATE archive_files SET moved_at = ? WHERE id = ?').run(now, id);
}

/** Stores which files cannot be read. */
export function noteArchiveFaults(db: Connection, notes: readonly ArchiveFaultNote[], now: number): void {
  const note = db.prepare(`
    UPDATE archive_files SET fault = @fault, fault_since = iif(@fault IS NULL, NULL, coalesce(fault_since, @now))
    WHERE id = @id AND fault IS NOT @fault`);
  for (const { id, fault } of notes) note.run({ id, fault, now });
}

interface SumRow extends Pick<ArchiveSummary, 'files' | 'days' | 'records' | 'bodyBytes' | 'fileBytes'> {
  readonly faulty: number;
  readonly faultyRecords: number;
  readonly since: number | null;
}

export function readArchiveSummary(db: Connection): ArchiveSummary {
  const [folder] = archiveFolders(db);
  const { faulty, faultyRecords, since, ...sums } = db
    .prepare<[], SumRow>(`
      SELECT count(*) AS files, coalesce(sum(records), 0) AS records, coalesce(sum(body_bytes), 0) AS bodyBytes,
        coalesce(sum(bytes), 0) AS fileBytes, count(fault) AS faulty,
        (SELECT count(*) FROM archived_days WHERE file_id IS NOT NULL) AS days,
        coalesce(sum(iif(fault IS NULL, 0, records)), 0) AS faultyRecords, min(fault_since) AS since
      FROM archive_files WHERE bytes IS NOT NULL`)
    .get() as SumRow; // an aggregate has one row
  const first = db
    .prepare<[], { name: string; fault: ArchiveFault }>(
      'SELECT name, fault FROM archive_files WHERE fault IS NOT NULL ORDER BY id LIMIT 1',
    )
    .get();
  const fault =
    first === undefined || since === null
      ? null
      : { fault: first.fault, file: first.name, files: faulty, records: faultyRecords, since };
  return { folder, ...sums, fault, ...readArchiveRun(db) };
}
