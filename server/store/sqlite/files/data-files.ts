// Checks the files of a data directory before SQLite opens them, because SQLite is too permissive. SQLite follows a link to a
// database and misses the WAL beside the link. It waits on a pipe, and applies any WAL to any database. It takes an empty file
// for a new database and deletes the WAL beside it. This module changes no file.

import { closeSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';

import { OperatorError } from '../../../errors.ts';
import { APPLICATION_ID, damageAdvice, databasePath, foreignDatabase } from '../engine/database.ts';
import { WAL_HEADER_BYTES } from '../integrity/wal-format.ts';

/** First bytes of a database. */
const MAGIC = 'SQLite format 3\0';
/** Offset of the byte that says whether a database uses a WAL: 2 if it does, 1 if not. A backup has 1. */
const WRITE_VERSION_AT = 18;
const APPLICATION_ID_AT = 68;

/**
 * Throws an OperatorError if a path is not a regular file. Also throws one if the WAL has data but the database is missing or
 * empty.
 */
export function assertDataFiles(dataDir: string): void {
  const database = databasePath(dataDir);
  const wal = `${database}-wal`;
  const found = assertFile(database);
  const walBytes = assertFile(wal)?.size ?? 0;
  assertFile(`${database}-shm`);
  if (walBytes <= WAL_HEADER_BYTES) return;
  if (found === undefined || found.size === 0) {
    throw new OperatorError(
      `${database} is ${found === undefined ? 'missing' : 'empty'}, but the write-ahead log beside it, ${wal}, holds sales. Put the database back, or move the log to another folder if it does not belong here; then start again. Nothing was changed.`,
      { fault: 'data_damaged' },
    );
  }
}

/**
 * Throws an OperatorError if the file is not a database, or is a backup beside the WAL of other data. Call it only while no
 * other process has the database open.
 */
export function assertOwnFiles(dataDir: string): void {
  const database = databasePath(dataDir);
  const wal = `${database}-wal`;
  const isThere = (path: string): boolean => (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  // SQLite first restores the database from its rollback journal
  if (!isThere(database) || isThere(`${database}-journal`)) return;
  const header = readHeader(database);
  if ((lstatSync(wal, { throwIfNoEntry: false })?.size ?? 0) <= WAL_HEADER_BYTES) {
    if (header.toString('latin1', 0, MAGIC.length) === MAGIC) return;
    throw new OperatorError(
      `${database} is not a database. It was left as it is; ${damageAdvice(database)}, or choose another data directory.`,
      { fault: 'data_damaged' },
    );
  }
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return; // the first page may still be only in the WAL
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) throw foreignDatabase(database);
  if (header[WRITE_VERSION_AT] !== 1) return;
  throw new OperatorError(
    `${database} is a restored backup, and the write-ahead log beside it, ${wal}, belongs to other data. Move the log and ${database}-shm to another folder, then start again. Nothing was changed.`,
    { fault: 'data_damaged' },
  );
}

/** Throws an OperatorError if the path leads to something other than a file. Returns undefined if the path does not exist. */
export function assertFile(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return found;
  throw new OperatorError(
    found.isSymbolicLink()
      ? `${path} is a symbolic link. Put the file itself there, or name the folder that holds it with --data. Nothing was changed.`
      : `${path} is not a file. Move it to another folder, then start again. Nothing was changed.`,
    { fault: 'data_damaged' },
  );
}

function readHeader(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(APPLICATION_ID_AT + 4);
    readSync(file, bytes, 0, bytes.byteLength, 0);
    return bytes;
  } finally {
    closeSync(file);
  }
}
