// Copies archive files, so that a backup has the bodies that are not in the database, and a restore can use them.

import { closeSync, copyFileSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { type Connection, hasTable, makeFolder, syncFolder } from '../engine/database.ts';
import { forgetUnusedFiles } from './archive-file.ts';
import { archiveFolders, findArchiveFile } from './body.ts';
import { readBlocks } from './file.ts';

export interface ArchiveFiles {
  /** Number of the files to which the database refers. */
  readonly files: number;
  /** Number of these files that are missing or damaged. */
  readonly missing: number;
}

interface Wanted {
  readonly name: string;
  readonly bytes: number;
}

/** The files to which records of the database refer. Empty for data of an earlier version. */
function listWanted(db: Connection): Wanted[] {
  if (!hasTable(db, 'archive_files')) return [];
  return db
    .prepare<[], Wanted>(`
      SELECT name, bytes FROM archive_files
      WHERE bytes IS NOT NULL AND EXISTS (SELECT 1 FROM archive_blocks WHERE file_id = archive_files.id) ORDER BY id`)
    .all();
}

/** Whether a folder has a file with the right size. False if the folder cannot be read. */
function hasFile(folder: string, { name, bytes }: Wanted): boolean {
  try {
    const found = statSync(join(folder, name));
    return found.isFile() && found.size === bytes;
  } catch {
    return false;
  }
}

/** The size of the files that a copy to the folder needs. */
export function countMissingBytes(db: Connection, folder: string): number {
  return listWanted(db)
    .filter((wanted) => !hasFile(folder, wanted))
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Copies the files of the database to a folder, unless a sound copy is there. Reads each copy back before it gets its name. Leaves out
 * files that cannot be read. Throws if the folder cannot be written; complete copies then stay.
 */
export function copyArchive(db: Connection, folder: string, onCopied?: (bytes: number) => void): ArchiveFiles {
  const wanted = listWanted(db);
  let missing = 0;
  for (const each of wanted) {
    if (isWhole(folder, each)) continue;
    const from = findArchiveFile(db, each.name);
    if (isWhole(dirname(from), each)) copyOne(from, folder, each.name);
    else missing += 1;
    onCopied?.(each.bytes);
  }
  return { files: wanted.length, missing };
}

function copyOne(from: string, folder: string, name: string): void {
  makeFolder(folder);
  const partial = join(folder, `${name}.partial`);
  try {
    copyFileSync(from, partial);
    const file = openSync(partial, 'r+');
    fsyncSync(file);
    closeSync(file);
    for (const _ of readBlocks(partial));
    renameSync(partial, join(folder, name));
    syncFolder(folder);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function isWhole(folder: string, wanted: Wanted): boolean {
  if (!hasFile(folder, wanted)) return false;
  try {
    for (const _ of readBlocks(join(folder, wanted.name)));
    return true;
  } catch {
    return false;
  }
}

/**
 * Copies the files that restored data need from the folder of the backup, unless they are where the data look for them. Afterwards
 * the data use the folder beside the database: the folder of the backup's gateway may be on another machine.
 */
export function bringArchive(db: Connection, from: string): ArchiveFiles {
  forgetUnusedFiles(db); // a backup of an earlier version may have them
  const wanted = listWanted(db);
  const isHere = (each: Wanted): boolean => archiveFolders(db).some((folder) => isWhole(folder, each));
  const own = archiveFolders(db).at(-1) ?? from; // the folder beside the database
  for (const each of wanted) if (!isHere(each) && isWhole(from, each)) copyOne(join(from, each.name), own, each.name);
  const missing = wanted.filter((each) => !isHere(each)).length;
  if (hasTable(db, 'archive_folder')) db.prepare('DELETE FROM archive_folder').run();
  return { files: wanted.length, missing };
}
