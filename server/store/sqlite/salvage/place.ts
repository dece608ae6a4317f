// The places of a salvage: the damaged database with the files that belong to it, and the folder of the new one. Checks them, and
// changes nothing.

import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { OperatorError } from '../../../errors.ts';
import { ARCHIVE_FOLDER } from '../archive/body.ts';
import { isOwned, LOCK_FILE } from '../files/lock.ts';

/** Returns the path of the database itself: SQLite follows a symbolic link, and keeps the log beside the file it leads to. */
export function findSource(name: string, dataDir: string | undefined): string {
  const found = statSync(name, { throwIfNoEntry: false });
  if (found === undefined) throw new OperatorError(`The file ${name} does not exist.`);
  if (!found.isFile())
    throw new OperatorError(`${name} is not a file. Name the database itself, or give its directory with --data.`);
  const path = realpathSync(name);
  const folders = foldersOf(path, dataDir);
  for (const beside of [`${path}-wal`, ...folders.map((folder) => join(folder, LOCK_FILE))]) assertFile(beside);
  const inUse = folders.find(isInUse);
  if (inUse !== undefined) throw new OperatorError(`A gateway is running on ${inUse}. Stop it, then salvage again.`);
  return path;
}

/** The folders in which the lock and the archive may be. */
function foldersOf(path: string, dataDir: string | undefined): string[] {
  return dataDir === undefined ? [dirname(path)] : [dataDir, dirname(path)];
}

/** Throws if the path is something else than a missing or regular file, such as a pipe: reading it could wait permanently. */
function assertFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new OperatorError(`${path} is not a regular file. Move it to another folder, then salvage again.`);
}

export function findArchiveFolder(path: string, dataDir: string | undefined): string {
  const folders = foldersOf(path, dataDir).map((folder) => join(folder, ARCHIVE_FOLDER));
  return folders.find((folder) => existsSync(folder)) ?? join(dirname(path), ARCHIVE_FOLDER);
}

/** Makes no lock file, because nothing may change beside the damaged data. */
function isInUse(dataDir: string): boolean {
  if (!existsSync(join(dataDir, LOCK_FILE))) return false;
  try {
    return isOwned(dataDir);
  } catch {
    return false; // a disk that is read-only has no running gateway
  }
}

/** Returns whether the directory is missing. */
export function assertTarget(toDir: string): boolean {
  if (!existsSync(toDir)) {
    if (existsSync(dirname(toDir))) return true;
    throw new OperatorError(`The folder ${dirname(toDir)} does not exist. Make it first, or choose another place.`);
  }
  if (!statSync(toDir).isDirectory() || readdirSync(toDir).length > 0)
    throw new OperatorError(`${toDir} is not an empty folder. Choose a new one: salvage never overwrites anything.`);
  return false;
}
