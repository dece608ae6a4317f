// Copies archive files, so that a backup has the bodies that are not in the database, and a restore can use them.

import { closeSync, copyFileSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { ArchiveFault, ArchiveFileFault } from '../../../contract/archive.ts';
import { type Connection, hasTable, makeFolder, syncFolder } from '../engine/database.ts';
import { forgetUnusedFiles } from './archive-file.ts';
import { archiveFaultOf, archiveFolders, findArchiveFile, isArchiveName } from './body.ts';
import { readBlocks } from './file.ts';

export interface ArchiveFiles {
  /** Number of the files to which the database refers. */
  readonly files: number;
  /** The files that cannot be read. */
  readonly faults: readonly ArchiveFileFault[];
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

/** Finds why a folder does not have a file with the right size; null if it does. */
function findSizeFault(folder: string, { name, bytes }: Wanted): ArchiveFault | null {
  if (!isArchiveName(name)) return 'missing';
  try {
    const found = statSync(join(folder, name));
    return found.isFile() && found.size === bytes ? null : 'damaged';
  } catch (error) {
    return archiveFaultOf(error);
  }
}

/** Like `findSizeFault`, but reads the whole file. */
function findFault(folder: string, wanted: Wanted): ArchiveFault | null {
  const fault = findSizeFault(folder, wanted);
  if (fault !== null) return fault;
  try {
    for (const _ of readBlocks(join(folder, wanted.name)));
    return null;
  } catch (error) {
    return archiveFaultOf(error);
  }
}

/** The size of the files that a copy to the folder needs. */
export function countMissingBytes(db: Connection, folder: string): number {
  return listWanted(db)
    .filter((wanted) => findSizeFault(folder, wanted) !== null)
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Copies the files of the database to a folder, unless a sound copy is there. Reads each copy back before it gets its name. Leaves out
 * files that cannot be read. Throws if the folder cannot be written; complete copies then stay.
 */
export function copyArchive(db: Connection, folder: string, onCopied?: (bytes: number) => void): ArchiveFiles {
  const wanted = listWanted(db);
  const faults: ArchiveFileFault[] = [];
  for (const each of wanted) {
    if (findFault(folder, each) === null) continue;
    const from = findArchiveFile(db, each.name);
    const fault = findFault(dirname(from), each);
    if (fault === null) copyOne(from, folder, each.name);
    else faults.push({ file: each.name, fault });
    onCopied?.(each.bytes);
  }
  return { files: wanted.length, faults };
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

/**
 * Copies the files that restored data need from the folder of the backup, or from the folder that the backup's gateway used, unless
 * they are where the restored data look for them: beside the database, or in `archiveFolder` of their settings.
 */
export function bringArchive(db: Connection, fromBackup: string, archiveFolder: string | undefined): ArchiveFiles {
  forgetUnusedFiles(db); // a backup of an earlier version may have them
  const wanted = listWanted(db);
  const [used, own = used] = archiveFolders(db); // the last one is beside the database
  const places = [own, archiveFolder ?? own];
  const sources = [fromBackup, used];
  const faults: ArchiveFileFault[] = [];
  for (const each of wanted) {
    if (places.some((folder) => findFault(folder, each) === null)) continue;
    const found = sources.map((folder) => ({ folder, fault: findFault(folder, each) }));
    const sound = found.find(({ fault }) => fault === null);
    if (sound !== undefined) copyOne(join(sound.folder, each.name), own, each.name);
    else faults.push({ file: each.name, fault: found.find(({ fault }) => fault !== 'missing')?.fault ?? 'missing' });
  }
  db.prepare('DELETE FROM archive_folder').run(); // the gateway stores that of its settings
  return { files: wanted.length, faults };
}
