// Makes a backup while the gateway runs: a consistent snapshot, which is checked and synced before it gets its final name.

import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';

import Database from 'better-sqlite3';

import type { BackupFault, BackupProgress } from '../../../contract/backups.ts';
import { OperatorError } from '../../../errors.ts';
import { explainUnwritable, isForbidden } from '../../../lib/permission.ts';
import { ARCHIVE_FOLDER } from '../archive/body.ts';
import { type ArchiveFiles, copyArchive, countMissingBytes } from '../archive/copy.ts';
import type { CopierOperations } from '../engine/copier.ts';
import { type Connection, databasePath, syncFolder } from '../engine/database.ts';
import { classifyStorageError, errorCode } from '../engine/fault.ts';
import { startThread } from '../engine/thread.ts';
import { assertOwnSchema } from '../integrity/own-schema.ts';
import { oldestProgram, SCHEMA_VERSION, schemaVersion } from '../migrations.ts';
import { countBytes, makeUnknown, removePartial } from './copy.ts';
import { assertData, settleRestore } from './preparation.ts';
import { createPrivateFile } from './private-file.ts';
import { syncFile } from './sync.ts';

export interface Backup {
  readonly bytes: number;
  readonly records: number;
  /** The id of the newest record; 0 without records. */
  readonly newestRecordId: number;
  /** Whether the backup is on the disk of the data, so that one broken disk destroys both. */
  readonly isOnDataDisk: boolean;
  /** The archive files that the backup needs. Copies of them are in the folder "archive" beside it. */
  readonly archive: ArchiveFiles;
  /** The newest schema version that this program knows. */
  readonly programSchema: number;
  /** The schema version of the data. */
  readonly schema: number;
  /** Programs that know this schema version, or a later one, can use the data. */
  readonly oldestProgram: number;
}

/** A backup could not be made, and a person can fix the reason. Threads keep the `code` of an error. */
class BackupError extends OperatorError {
  readonly code: BackupFault;
  constructor(code: BackupFault, message: string, options?: ErrorOptions) {
    super(message, { ...options, ...(code === 'full' && { fault: 'disk_full' }) });
    this.code = code;
  }
}

type OnProgress = (progress: BackupProgress) => void;

/** Interval at which the size of the growing copy is read. */
const PROGRESS_MS = 250;
const COPIER_MEMORY_MIB = 64;
/** Error codes of a network share or a disk that does not answer. */
const UNREACHABLE = new Set([
  'EIO',
  'ESTALE',
  'ENOTCONN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'ENODEV',
  'ENXIO',
  'ENOENT',
]);

/**
 * Copies the database of a data directory to a new file, readable by its owner only. Rejects with an OperatorError that says
 * what to do; no part of the new file then remains. Data of another program version are copied without a migration.
 */
export async function backUp(dataDir: string, file: string, onProgress?: OnProgress): Promise<Backup> {
  settleRestore(dataDir);
  assertData(dataDir);
  assertPlace(file);
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
  const madeAt = Date.now();
  let db: Connection | undefined;
  try {
    assertOtherName(dataDir, file);
    removeOldPartials(file);
    db = new Database(databasePath(dataDir), { readonly: true });
    db.pragma('trusted_schema = OFF');
    assertOwnSchema(db);
    const bytes = countBytes(db);
    const folder = join(dirname(file), ARCHIVE_FOLDER);
    const total = bytes + countMissingBytes(db, folder);
    assertRoom(total, dirname(file));
    createPrivateFile(partial);
    await copy(databasePath(dataDir), partial, (done) => onProgress?.({ step: 'copy', done, total }));
    let done = bytes;
    const archive = copyArchive(db, folder, (copied) => onProgress?.({ step: 'copy', done: (done += copied), total }));
    onProgress?.({ step: 'verify' });
    makeUnknown(partial, dataDir, madeAt);
    const isOnDataDisk = statSync(partial).dev === statSync(dataDir).dev;
    const backup = { ...verify(partial), isOnDataDisk, archive };
    syncFile(partial);
    place(partial, file);
    syncFolder(dirname(file));
    return backup;
  } catch (error) {
    removePartial(partial);
    throw explainFailure(file, error);
  } finally {
    db?.close();
  }
}

/** Returns the error of a failed backup with its cause. Returns an OperatorError unchanged. */
export function explainFailure(file: string, error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const failed = (fault: BackupFault, message: string): BackupError =>
    new BackupError(fault, message, { cause: error });
  if (classifyStorageError(error) === 'full')
    return failed(
      'full',
      `The disk of ${dirname(file)} became full. Nothing of the backup is left there; free some space, or choose another disk.`,
    );
  return failed(faultOf(error), `The backup ${file} could not be made: ${String(error)}`);
}

function faultOf(error: unknown): BackupFault {
  const code = errorCode(error) ?? '';
  if (UNREACHABLE.has(code)) return 'unreachable';
  if (isForbidden(error)) return 'forbidden';
  return code === 'EROFS' ? 'read_only' : 'other';
}

/** Throws an OperatorError unless the backup file can be created at this path. */
function assertPlace(file: string): void {
  const folder = dirname(file);
  const another = 'Choose another place for the backup.';
  try {
    if (!statSync(folder).isDirectory()) throw new OperatorError(`${folder} is not a folder. ${another}`);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) {
      const example = join(file, `counterfoil-${new Date().toISOString().slice(0, 10)}.db`);
      throw new OperatorError(`${file} is a folder. Name a file in it for the backup, such as ${example}.`);
    }
    if (found !== undefined) throw alreadyExists(file);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (isForbidden(error))
      throw new BackupError('forbidden', `${explainUnwritable(folder)} ${another}`, { cause: error });
    switch (errorCode(error)) {
      case 'ENOENT':
        throw new BackupError(
          'unreachable',
          `The folder ${folder} does not exist. Make it first, or choose another place for the backup.`,
        );
      case 'ENOTDIR':
        throw new BackupError('unreachable', `${folder} is not a folder. ${another}`);
      case 'EROFS':
        throw new BackupError('read_only', `The folder ${folder} is on a disk that is read-only. ${another}`);
      default:
        throw error;
    }
  }
}

/** Refuses a name such as `counterfoil.db-wal`. SQLite would treat such a file as part of the database. */
function assertOtherName(dataDir: string, file: string): void {
  const { base, dir } = parse(databasePath(dataDir));
  if (realpathSync(dirname(file)) !== realpathSync(dir)) return;
  if (['-wal', '-shm', '-journal'].some((end) => basename(file) === base + end))
    throw new OperatorError(`${file} is a name that the database uses itself; choose another.`);
}

/** A partial backup is removed if it was last written longer ago than this: the process that wrote it has ended. */
const OLD_PARTIAL_MS = 10 * 60_000;

/** Suffix of a backup while it is being written. */
const PARTIAL_END = /^\.[0-9a-f]{8}\.partial$/;

/** Whether a file is a part of an unfinished backup with the name `base`. */
export function isPartialOf(base: string, name: string): boolean {
  return name.startsWith(base) && PARTIAL_END.test(name.slice(base.length).replace(/-journal$/, ''));
}

function removeOldPartials(file: string): void {
  const base = basename(file);
  for (const name of readdirSync(dirname(file))) {
    if (!isPartialOf(base, name)) continue;
    const path = join(dirname(file), name);
    const found = lstatSync(path, { throwIfNoEntry: false }); // another backup may already have removed it
    if (found !== undefined && Date.now() - found.mtimeMs > OLD_PARTIAL_MS) removePartial(path);
  }
}

/** Gives the finished copy its name. Throws an OperatorError if another file got this name during the backup. */
function place(partial: string, file: string): void {
  try {
    linkSync(partial, file); // a link never replaces a file, but a rename does
    rmSync(partial);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw alreadyExists(file);
    if (existsSync(file)) throw error;
    renameSync(partial, file); // for a file system without hard links, as on many USB sticks
  }
}

function alreadyExists(file: string): OperatorError {
  return new OperatorError(`${file} already exists. It was left as it is; choose another name.`);
}

/** The size of a file in bytes; 0 if it cannot be read, because progress must not fail a backup. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** Copies the database to the file. Resolves when the whole copy is there. */
async function copy(path: string, partial: string, onGrowth: (bytes: number) => void): Promise<void> {
  const copier = await startThread<CopierOperations>('copier', { path }, COPIER_MEMORY_MIB);
  const timer = setInterval(() => onGrowth(sizeOf(partial)), PROGRESS_MS);
  try {
    await copier.call('copyTo', [partial]);
  } finally {
    clearInterval(timer);
    await copier.close();
  }
}

export function assertRoom(wanted: number, folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < wanted)
    throw new BackupError(
      'full',
      `The disk of ${folder} has too little space for a backup, which needs up to ${wanted} bytes. Free some space, or choose another disk.`,
    );
}

function verify(path: string): Omit<Backup, 'isOnDataDisk' | 'archive'> {
  const copy = new Database(path, { readonly: true });
  try {
    const faults = copy.pragma('quick_check(1)', { simple: true });
    if (faults !== 'ok') throw new Error(`the copy is not sound: ${String(faults)}`);
    const records = copy.prepare<[], number>('SELECT count(*) FROM records').pluck().get() ?? 0;
    const newestRecordId = copy.prepare<[], number | null>('SELECT max(id) FROM records').pluck().get() ?? 0;
    return {
      bytes: statSync(path).size,
      records,
      newestRecordId,
      programSchema: SCHEMA_VERSION,
      schema: schemaVersion(copy),
      oldestProgram: oldestProgram(copy),
    };
  } finally {
    copy.close();
  }
}
