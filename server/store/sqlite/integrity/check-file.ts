// The full check of a backup. It opens the file read-only and leaves no other file beside it.

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

import Database from 'better-sqlite3';

import { OperatorError } from '../../../errors.ts';
import { shellArgument } from '../../../lib/shell-argument.ts';
import { PROGRAM } from '../../../program.ts';
import type { DataCheckProgress, CheckResult } from '../../health/ledger.ts';
import { APPLICATION_ID, type Connection, isMarked } from '../engine/database.ts';
import { classifyStorageError, errorCode } from '../engine/fault.ts';
import { assertKnownVersion, COUNTS_SCHEMA, schemaVersion } from '../migrations.ts';
import { checkStore } from './check.ts';
import { assertOwnSchema } from './own-schema.ts';

/** `areCountsChecked` is false for a schema before `COUNTS_SCHEMA`, which stored counts in other columns. */
export type FileCheckResult = CheckResult & { readonly areCountsChecked: boolean };

/** Checks a backup. Throws an OperatorError if the file is not a backup or cannot be read to its end. */
export function checkFile(path: string, onProgress?: (progress: DataCheckProgress) => void): FileCheckResult {
  closeSync(openBackup(path).file);
  let db: Connection | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true });
    db.pragma('trusted_schema = OFF');
    db.pragma('cache_size = -24576'); // 24 MiB, because the check looks for each record in its indexes
    if (!isMarked(db, path)) throw notBackup(path);
    assertOwnSchema(db);
    assertKnownVersion(db);
    const withCounts = schemaVersion(db) >= COUNTS_SCHEMA;
    return { ...checkStore(db, { withCounts, onProgress }), areCountsChecked: withCounts };
  } catch (error) {
    if (classifyStorageError(error) === 'damaged')
      throw new OperatorError(
        `${path} is too damaged to be read completely. Look for another backup, or copy what can be read: ${PROGRAM} salvage ${shellArgument(path)} --to NEW-FOLDER`,
        {
          cause: error,
          fault: 'data_damaged',
        },
      );
    throw error;
  } finally {
    db?.close();
  }
}

const SQLITE_HEADER = 'SQLite format 3\0';
const HEADER_BYTES = 100;
/** Value of the two version bytes if the file has a write-ahead log. */
const HAS_LOG = 2;
const PAGE_BYTES = 4096;
const UTF8 = 1;

/**
 * Opens a backup for reading and returns the file descriptor and its size. Throws an OperatorError if its header is not the
 * header of a backup, or if the file is not as long as its header says. A backup has no write-ahead log. A database without its
 * log may lack the newest sales. If the log is beside the database, SQLite would write files.
 */
export function openBackup(path: string): { readonly file: number; readonly bytes: number } {
  let file: number | undefined;
  try {
    const found = statSync(path);
    if (found.isDirectory()) throw new OperatorError(`${path} is a folder. Give it with --data.`);
    if (!found.isFile()) throw notBackup(path); // opening a pipe would wait for its writer
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(file, header, 0, HEADER_BYTES, 0);
    const bytes = fstatSync(file).size;
    assertHeader(path, header, bytes);
    return { file, bytes };
  } catch (error) {
    if (file !== undefined) closeSync(file);
    throw explainReading(path, error);
  }
}

/** Checks the fields of the header (https://sqlite.org/fileformat.html#the_database_header). */
function assertHeader(path: string, header: Buffer, bytes: number): void {
  if (header.toString('latin1', 0, SQLITE_HEADER.length) !== SQLITE_HEADER) throw notBackup(path);
  if (header[18] === HAS_LOG || header[19] === HAS_LOG)
    throw new OperatorError(
      `${path} is the database of a data directory, or a copy of it, not a backup. Check the directory with --data.`,
      { fault: 'data_foreign' },
    );
  const pageBytes = header.readUInt16BE(16);
  if (header.readUInt32BE(68) !== APPLICATION_ID)
    throw new OperatorError(`${path} is a database of another program, not a backup of Counterfoil.`, {
      fault: 'data_foreign',
    });
  const isOurs =
    pageBytes === PAGE_BYTES &&
    header.readUInt32BE(52) === 0 && // no automatic vacuum
    header.readUInt32BE(56) === UTF8;
  if (!isOurs) throw notBackup(path);
  const wanted = header.readUInt32BE(28) * pageBytes;
  if (bytes !== wanted)
    throw new OperatorError(
      `${path} is not complete: it has ${bytes} bytes, but should have ${wanted}. Look for another backup.`,
      { fault: 'data_damaged' },
    );
}

function notBackup(path: string): OperatorError {
  return new OperatorError(`${path} is not a backup of Counterfoil.`, { fault: 'data_foreign' });
}

function explainReading(path: string, error: unknown): unknown {
  if (error instanceof OperatorError) return error;
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new OperatorError(`The file ${path} does not exist.`, { fault: 'data_unwritable' });
    case 'EACCES':
    case 'EPERM':
      return new OperatorError(`You may not read ${path}. Run the command as its owner.`, {
        cause: error,
        fault: 'data_unwritable',
      });
    default:
      return error;
  }
}
