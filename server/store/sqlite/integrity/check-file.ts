// The full check of a backup. It opens the file read-only and leaves no other file beside it.

import { closeSync, openSync, readSync, statSync } from 'node:fs';

import Database from 'better-sqlite3';

import { OperatorError } from '../../../errors.ts';
import type { DataCheckProgress, CheckResult } from '../../health/ledger.ts';
import { type Connection, isMarked } from '../engine/database.ts';
import { classifyStorageError, errorCode } from '../engine/fault.ts';
import { assertKnownVersion, COUNTS_SCHEMA, schemaVersion } from '../migrations.ts';
import { checkStore } from './check.ts';
import { assertOwnSchema } from './own-schema.ts';

/** `areCountsChecked` is false for a schema before `COUNTS_SCHEMA`, which stored counts in other columns. */
export type FileCheckResult = CheckResult & { readonly areCountsChecked: boolean };

/** Checks a backup. Throws an OperatorError if the file is not a backup or cannot be read to its end. */
export function checkFile(path: string, onProgress?: (progress: DataCheckProgress) => void): FileCheckResult {
  assertBackup(path);
  let db: Connection | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true });
    db.pragma('trusted_schema = OFF');
    if (!isMarked(db, path)) throw new OperatorError(`${path} is not a backup of Counterfoil.`);
    assertOwnSchema(db);
    assertKnownVersion(db);
    const withCounts = schemaVersion(db) >= COUNTS_SCHEMA;
    return { ...checkStore(db, { withCounts, onProgress }), areCountsChecked: withCounts };
  } catch (error) {
    if (classifyStorageError(error) === 'damaged')
      throw new OperatorError(`${path} is too damaged to be read completely. Look for another backup.`, {
        cause: error,
      });
    throw error;
  } finally {
    db?.close();
  }
}

const SQLITE_HEADER = 'SQLite format 3\0';
/**
 * Offset of the header byte that is 2 if the file has a write-ahead log
 * (https://sqlite.org/fileformat.html#file_format_version_numbers).
 */
const READ_VERSION_AT = 19;
const HAS_LOG = 2;

/**
 * Throws an OperatorError if the file is not a backup. A backup has no write-ahead log. A database without its log may lack the
 * newest sales. If the log is beside the database, SQLite would write files.
 */
function assertBackup(path: string): void {
  const header = readHeader(path);
  if (header.toString('latin1', 0, SQLITE_HEADER.length) !== SQLITE_HEADER)
    throw new OperatorError(`${path} is not a backup of Counterfoil.`);
  if (header[READ_VERSION_AT] === HAS_LOG)
    throw new OperatorError(
      `${path} is the database of a data directory, or a copy of it, not a backup. Check the directory with --data.`,
    );
}

function readHeader(path: string): Buffer {
  try {
    if (statSync(path).isDirectory()) throw new OperatorError(`${path} is a folder. Give it with --data.`);
    const header = Buffer.alloc(100);
    const file = openSync(path, 'r');
    try {
      readSync(file, header);
    } finally {
      closeSync(file);
    }
    return header;
  } catch (error) {
    switch (errorCode(error)) {
      case 'ENOENT':
      case 'ENOTDIR':
        throw new OperatorError(`The file ${path} does not exist.`);
      case 'EACCES':
      case 'EPERM':
        throw new OperatorError(`You may not read ${path}. Run the command as its owner.`, { cause: error });
      default:
        throw error;
    }
  }
}
