// Looks at the files of a data directory before SQLite opens them, because SQLite opens more than it should: it follows a link and
// misses the log, waits on a pipe, takes an empty file for a new database and deletes the log beside it, and puts any log into any
// database. Changes no file.

import { closeSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';

import { OperatorError } from '../../../errors.ts';
import { APPLICATION_ID, databasePath, foreignDatabase } from '../engine/database.ts';

/** Bytes of a log without a frame. */
const WAL_HEADER_BYTES = 32;
/** How a database begins. */
const MAGIC = 'SQLite format 3\0';
/** Where a database says whether it has ever been written with a log: 2, or else 1. A backup has 1. */
const WRITE_VERSION_AT = 18;
const APPLICATION_ID_AT = 68;

/** Throws an OperatorError where the files are not those that a gateway or command leaves. */
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
 * Throws an OperatorError where the database is none, or a backup that was put beside the log of other data. Only where no other
 * process has the database open.
 */
export function assertOwnFiles(dataDir: string): void {
  const database = databasePath(dataDir);
  const wal = `${database}-wal`;
  const isThere = (path: string): boolean => (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!isThere(database) || isThere(`${database}-journal`)) return; // what a journal has kept, SQLite puts back
  const header = readHeader(database);
  if ((lstatSync(wal, { throwIfNoEntry: false })?.size ?? 0) <= WAL_HEADER_BYTES) {
    if (header.toString('latin1', 0, MAGIC.length) === MAGIC) return;
    throw new OperatorError(
      `${database} is not a database. It was left as it is; restore a backup or choose another data directory.`,
      { fault: 'data_damaged' },
    );
  }
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return; // the log may hold the first page
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) throw foreignDatabase(database);
  if (header[WRITE_VERSION_AT] !== 1) return;
  throw new OperatorError(
    `${database} is a restored backup, and the write-ahead log beside it, ${wal}, belongs to other data. Move the log and ${database}-shm to another folder, then start again. Nothing was changed.`,
    { fault: 'data_damaged' },
  );
}

/** Throws an OperatorError where there is something else than a file. Returns undefined where there is nothing. */
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
