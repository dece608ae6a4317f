// Checks that a database and the write-ahead log (WAL) beside it belong together. An older copy of the database, such as one
// from a disk snapshot, may be beside a newer WAL. SQLite would apply the pages of this WAL without an error and damage the
// data. Therefore the database stores a number, the log mark. The first commit after the whole WAL was copied into the
// database raises the log mark. If the files belong together, the database has the newest log mark of the WAL, or the log mark
// before that one.

import { closeSync, openSync, readSync } from 'node:fs';

import { OperatorError } from '../../../errors.ts';
import { type Connection, databasePath } from '../engine/database.ts';
import { readIntactFrames } from './wal-format.ts';

/**
 * The page of `log_marks` ends with these bytes and the log mark. The bytes are SQLite's lengths and types of the only row.
 * Nothing that a till sends can end a page like this.
 */
const ROW_HEAD = Buffer.from([28, 1, 3, 0, 63]);
const MARK = /^log-mark:(\d{16})$/;
const ROW_BYTES = 30;
/** SQLite's page type for a leaf page of a table. */
const LEAF = 13;

export interface WalMarker {
  /** Call it when the whole WAL was copied into the database. The next transaction then raises the log mark. */
  noteCopied(): void;
  /** Raises the log mark within the caller's transaction, if `noteCopied` was called before. */
  move(): void;
  /** Call it after the commit of a transaction that called `move`. */
  noteCommitted(): void;
}

export function openWalMarker(db: Connection, isWalEmpty: boolean): WalMarker {
  const moveOn = db.prepare("UPDATE log_marks SET mark = printf('log-mark:%016d', substr(mark, 10) + 1)");
  let isDue = isWalEmpty;
  return {
    noteCopied: () => void (isDue = true),
    move: () => void (isDue && moveOn.run()),
    noteCommitted: () => void (isDue = false),
  };
}

/**
 * Throws an OperatorError if the WAL does not belong to this state of the database. Call it before this process opens the
 * database, because closing a file releases SQLite's locks on it.
 */
export function assertOwnWal(dataDir: string): void {
  const database = databasePath(dataDir);
  const found = compareMarks(database);
  if (found === 'same') return;
  const isOlder = found !== 'newer';
  throw new OperatorError(
    `${database} is ${isOlder ? 'older' : 'newer'} than the write-ahead log beside it, ${database}-wal: one of them was replaced. ${isOlder ? 'Put the newest database back' : `Move the log and ${database}-shm to another folder`}, then start again. Nothing was changed.`,
    { fault: 'data_damaged' },
  );
}

/** Whether the WAL may belong to a damaged database. True if the database has no readable log mark. */
export function mayBeOwnWal(database: string): boolean {
  const found = compareMarks(database);
  return found === 'same' || found === 'unknown';
}

/** Compares the log mark of a database with the WAL. `unknown`: the WAL has log marks, but the database should have one too. */
function compareMarks(database: string): 'same' | 'older' | 'newer' | 'unknown' {
  const log = readMarkedWal(`${database}-wal`);
  if (log === undefined) return 'same';
  const stored = parseMark(readPage(database, log.page, log.pageSize));
  // In a new database, only the WAL may have the table `log_marks`. Then `stored` is undefined, and the newest log mark must
  // be 1.
  if (stored === undefined) return log.newest > 1 ? 'unknown' : 'same';
  if (stored < log.newest - 1) return 'older';
  return log.isWhole && stored > log.newest ? 'newer' : 'same';
}

interface MarkedWal {
  readonly page: number;
  readonly pageSize: number;
  readonly newest: number;
  /** Whether the WAL could be read to its end. */
  readonly isWhole: boolean;
}

/** Finds the newest log mark in a WAL. Undefined if the WAL has none, because only commands have written to it. */
function readMarkedWal(wal: string): MarkedWal | undefined {
  let found: Omit<MarkedWal, 'isWhole'> | undefined;
  const frames = readIntactFrames(wal);
  for (let next = frames.next(); ; next = frames.next()) {
    if (next.done === true) return found && { ...found, isWhole: next.value };
    const { page, content } = next.value;
    const newest = parseMark(content);
    if (newest !== undefined) found = { page, pageSize: content.byteLength, newest };
  }
}

function parseMark(page: Buffer): number | undefined {
  const rowAt = page.byteLength - ROW_BYTES;
  if (rowAt < 8 || page[0] !== LEAF || page.readUInt16BE(3) !== 1 || page.readUInt16BE(5) !== rowAt) return undefined;
  const markAt = rowAt + ROW_HEAD.byteLength;
  if (!page.subarray(rowAt, markAt).equals(ROW_HEAD)) return undefined;
  const mark = MARK.exec(page.toString('latin1', markAt))?.[1];
  return mark === undefined ? undefined : Number(mark);
}

function readPage(path: string, page: number, pageSize: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(pageSize);
    return bytes.subarray(0, readSync(file, bytes, 0, pageSize, (page - 1) * pageSize));
  } finally {
    closeSync(file);
  }
}
