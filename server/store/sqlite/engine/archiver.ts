// The archiver thread: writes bodies of old records into files, and reads the files back. It only reads the database. If a disk or
// share does not answer, only this thread waits.

import { renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { ArchiveFault } from '../../../contract/archive.ts';
import type { DayToArchive } from '../../archive/ledger.ts';
import type { ArchiveFileRow, IndexedBlock } from '../archive/archive-file.ts';
import {
  archiveFaultOf,
  archiveFolders,
  bodyColumns,
  type BodyRow,
  findArchiveFile,
  IS_IN_DATABASE_SQL,
  openBodies,
  readArchiveBlock,
  unlessUnreadable,
} from '../archive/body.ts';
import { type BlockPlace, createArchiveFile, readBlocks } from '../archive/file.ts';
import { assertSpaceSpared } from '../archive/run.ts';
import { isInState } from '../outbox/delivery-state.ts';
import { streamNumber } from '../records/record-stream.ts';
import { digestOf } from '../records/record.ts';
import { makeFolder, openDatabase, syncFolder } from './database.ts';
import { answerCalls, threadData } from './thread.ts';

const { path } = threadData<{ readonly path: string }>();
const db = openDatabase(path, 'read');

/** A file takes no further day when the bodies in it have this size. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The records with conflicting content stay in the database, because people look at them. */
const STREAMS = (['current', 'earlier'] as const).flatMap((by) =>
  (['NEW', 'IGNORED'] as const).map((status) => streamNumber({ interface: by, status })),
);

const selectIds = db
  .prepare<unknown[], number>(`
    SELECT record_id FROM sales
    WHERE journal_id = @journalId AND stream IN (${STREAMS.join(', ')}) AND sold_at >= @from AND sold_at < @to`)
  .pluck();
/** A repeat has a delivery only if repeats are forwarded. */
const selectBody = db.prepare<[number], BodyRow>(`
  SELECT ${bodyColumns(db)} FROM records LEFT JOIN deliveries ON record_id = records.id
  WHERE records.id = ? AND ${IS_IN_DATABASE_SQL} AND (${isInState('delivered')} OR (state_number IS NULL AND status = 'IGNORED'))`);
const bodyOf = openBodies(db);
const selectDigest = db.prepare<[number], Buffer>('SELECT digest FROM records WHERE id = ?').pluck();

export interface WrittenFile {
  readonly bytes: number;
  /** Number of the days that were taken. */
  readonly days: number;
  readonly records: number;
}

const operations = {
  /** Writes a file with the bodies of some days, and syncs it. If it fails, nothing of the file remains. Leaves tills enough space. */
  write(name: string, days: readonly DayToArchive[]): WrittenFile {
    const [folder] = archiveFolders(db);
    makeFolder(folder);
    const final = join(folder, name);
    const partial = `${final}.partial`;
    const assertSpace = (): void => assertSpaceSpared(folder, 'write');
    assertSpace();
    const writer = createArchiveFile(partial, assertSpace);
    try {
      let [taken, records, bodyBytes] = [0, 0, 0];
      for (const { journalId, from, to } of days) {
        if (bodyBytes >= MAX_FILE_BYTES) break;
        taken += 1;
        // In the order of their ids, because rows that are neighbours in the database free whole pages.
        for (const id of selectIds.all({ journalId, from, to }).toSorted((a, b) => a - b)) {
          const row = selectBody.get(id);
          if (row === undefined) continue;
          const body = bodyOf(id, row);
          if (!digestOf(body).equals(row.digest)) continue;
          writer.add(id, body);
          records += 1;
          bodyBytes += body.byteLength;
        }
      }
      const bytes = writer.end();
      renameSync(partial, final);
      syncFolder(folder);
      return { bytes, days: taken, records };
    } catch (error) {
      rmSync(partial, { force: true });
      throw error;
    } finally {
      writer.close();
    }
  },

  /** Reads a file back, and compares each body with the SHA-256 of its record. Throws if one differs. Returns its blocks. */
  verify(name: string): IndexedBlock[] {
    const file = findArchiveFile(db, name);
    const blocks: IndexedBlock[] = [];
    for (const { offset, bytes, bodies } of readBlocks(file)) {
      for (const [id, body] of bodies)
        if (selectDigest.get(id)?.equals(digestOf(body)) !== true)
          throw new Error(`${file} does not contain the body of record ${id} as it was received`);
      blocks.push({ offset, bytes, recordIds: [...bodies.keys()] });
    }
    return blocks;
  },

  /**
   * Reads a block shortly before the writer does. If the disk does not answer, the writer then does not wait for it. Throws if
   * the disk of the database has too little space to move the block.
   */
  load(name: string, place: BlockPlace): void {
    assertSpaceSpared(dirname(path), 'move');
    unlessUnreadable(() => readArchiveBlock(db, name, place)); // the writer reports the fault
  },

  /** Finds the fault of a file; null without one. */
  inspect({ name, bytes }: ArchiveFileRow, isWhole: boolean): ArchiveFault | null {
    try {
      const file = findArchiveFile(db, name);
      const found = statSync(file, { throwIfNoEntry: false });
      if (found === undefined) return 'missing';
      if (found.size !== bytes) return 'damaged';
      if (isWhole) for (const _ of readBlocks(file));
      return null;
    } catch (error) {
      return archiveFaultOf(error);
    }
  },

  /** Deletes a file that was not complete, or whose bodies are all in the database. */
  remove(name: string): void {
    const file = findArchiveFile(db, name);
    for (const end of ['', '.partial']) rmSync(file + end, { force: true });
  },

  close: (): void => void db.close(),
};

export type ArchiverOperations = typeof operations;

answerCalls(operations);
