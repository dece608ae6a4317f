// Opens the database file and verifies its settings. Every connection sets its pragmas and reads them back. Every thread can
// check that the file was not replaced. This module knows no tables.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import Database from 'better-sqlite3';

import { dataOption } from '../../../data-location.ts';
import { OperatorError } from '../../../errors.ts';
import { isForbidden } from '../../../lib/permission.ts';
import { shellArgument } from '../../../lib/shell-argument.ts';
import { PROGRAM } from '../../../program.ts';
import { WAL_HEADER_BYTES } from '../integrity/wal-format.ts';
import { rewriteWal } from '../integrity/wal-write.ts';
import { classifyStorageError, errorCode } from './fault.ts';

/** Error codes of file systems that cannot sync a folder. */
const NO_FOLDER_SYNC = new Set(['EINVAL', 'ENOTSUP']);

export type Connection = Database.Database;

/** SQLite's `application_id` of our database files: "Coun" in ASCII. */
export const APPLICATION_ID = 0x436f756e;
/** How long another process may hold the write lock before a group is refused. */
const BUSY_TIMEOUT_MS = 1000;
const OLDEST_SQLITE = [3, 51, 3];

export function databasePath(dataDir: string): string {
  return join(dataDir, 'counterfoil.db');
}

/** The ways out for a damaged database or backup. It completes a sentence. */
export function damageAdvice(path: string): string {
  const folder = dirname(path);
  const what = path === databasePath(folder) ? dataOption(folder) : ` ${shellArgument(path)}`;
  return `restore a backup, or copy what can be read with ${PROGRAM} salvage${what} --to NEW-FOLDER`;
}

/**
 * Opens the database file for one thread. With `write`, creates a missing file, readable by its owner only. With `read`, cannot
 * change the file. Throws an OperatorError if the file is not ours, or if Node, SQLite or the disk does not support what the
 * gateway needs.
 */
export function openDatabase(path: string, access: 'write' | 'read'): Connection {
  if (Number.parseInt(process.versions.node, 10) < 24) {
    throw new OperatorError(`Counterfoil needs Node 24; this is Node ${process.versions.node}.`);
  }
  if (access === 'write') createPrivately(path);
  const db = new Database(path, { readonly: access === 'read', timeout: BUSY_TIMEOUT_MS });
  try {
    if (access === 'write') claim(db, path);
    configure(db, access);
    if (access === 'write') {
      db.pragma('user_version'); // a read creates a missing WAL
      // Otherwise a power cut may remove the WAL, or bring back the rollback journal from before the WAL mode.
      syncFolder(dirname(path));
    }
  } catch (error) {
    closeUntouched(db, path);
    throw explainOpening(error, path);
  }
  return db;
}

/**
 * Closes a database without a checkpoint: its file, and a WAL with frames, stay unchanged. Normally, the last connection that
 * closes copies the WAL into the database and deletes the WAL. A read-only connection does not, so this function opens one and
 * closes it last. A WAL without frames is deleted: SQLite would use it even for a database outside WAL mode, and would then not
 * switch to this mode.
 */
export function closeUntouched(db: Connection, path: string): void {
  const walBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (walBytes <= WAL_HEADER_BYTES) return void db.close();
  const guard = new Database(path, { readonly: true });
  try {
    guard.prepare('SELECT count(*) FROM sqlite_schema').get(); // holds a shared lock, which keeps `db.close` from copying and deleting the WAL
  } catch {
    // Ignored: the read failed because the database is damaged, but it has taken the lock.
  }
  db.close();
  guard.close();
}

/** Creates a missing file that only its owner can read. SQLite gives the WAL and its index the same permissions. */
function createPrivately(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}

/**
 * Creates a folder and its missing parents, so that they survive a power cut. Only their owner can open them. Does not use
 * `recursive: true`: with it, Node never returns if a parent such as /proc refuses folders.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    syncFolder(dirname(path)); // otherwise a power cut may remove the folder with everything in it
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error; // EEXIST: another process was faster
  }
}

/**
 * Syncs a folder, so that files added, renamed or removed in it survive a power cut. SQLite syncs folders too, but ignores errors.
 * Does nothing if this user may not open the folder.
 */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return; // Windows cannot sync a folder and does not need it
  let folder: number;
  try {
    folder = openSync(path, 'r');
  } catch (error) {
    if (isForbidden(error)) return;
    throw error;
  }
  try {
    fsyncSync(folder);
  } catch (error) {
    if (!NO_FOLDER_SYNC.has(errorCode(error) ?? '')) throw error;
  } finally {
    closeSync(folder);
  }
}

/** Writes our `application_id` into a new file, and refuses a file that belongs to another program. */
function claim(db: Connection, path: string): void {
  if (isMarked(db, path)) return;
  db.exec('BEGIN IMMEDIATE');
  db.pragma(`application_id = ${APPLICATION_ID}`);
  // Makes the new file and its rollback journal survive a power cut. Without the journal, a half-written first page is no
  // database.
  syncFolder(dirname(path));
  db.exec('COMMIT');
}

/**
 * Whether the file has our `application_id`; a new file does not have it yet. Throws an OperatorError if the file belongs to
 * another program.
 */
export function isMarked(db: Connection, path: string): boolean {
  const owner = db.pragma('application_id', { simple: true });
  if (owner === APPLICATION_ID) return true;
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (owner === 0 && tables === 0) return false;
  throw foreignDatabase(path);
}

export function foreignDatabase(path: string): OperatorError {
  return new OperatorError(
    `${path} is a database of another program. It was left as it is; choose another data directory.`,
    { fault: 'data_foreign' },
  );
}

function configure(db: Connection, access: 'write' | 'read'): void {
  const version = db.prepare('SELECT sqlite_version()').pluck().get() as string;
  if (isOlder(version.split('.').map(Number), OLDEST_SQLITE)) {
    throw new OperatorError(`SQLite ${version} is too old: ${OLDEST_SQLITE.join('.')} or newer is needed.`);
  }
  // WAL lets readers and the writer work side by side. The database file stores this mode; other pragmas are per connection.
  if (access === 'write') db.pragma('journal_mode = WAL');
  // FULL syncs the WAL at each commit. An existing WAL database opens at NORMAL, which loses answered records in a power cut.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // The schema in a damaged or hostile file must not be able to call our SQL functions.
  db.pragma('trusted_schema = OFF');
  // The writer runs checkpoints itself, so that it notices when one fails.
  db.pragma('wal_autocheckpoint = 0');
  db.pragma('cache_size = -8192'); // negative: in KiB

  const expected = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1, wal_autocheckpoint: 0 };
  for (const [name, value] of Object.entries(expected)) {
    const actual = db.pragma(name, { simple: true });
    if (actual !== value) {
      throw new OperatorError(
        `The database could not be set to ${name} = ${value} (it says ${String(actual)}). Is the disk a network share?`,
      );
    }
  }
}

function isOlder(version: readonly number[], oldest: readonly number[]): boolean {
  const at = oldest.findIndex((part, index) => version[index] !== part);
  return at !== -1 && (version[at] ?? 0) < (oldest[at] ?? 0);
}

function explainOpening(error: unknown, path: string): Error {
  switch (errorCode(error)) {
    case 'SQLITE_NOTADB':
      return new OperatorError(
        `${path} is not a database. It was left as it is; ${damageAdvice(path)}, or choose another data directory.`,
        { fault: 'data_damaged' },
      );
    case 'SQLITE_CORRUPT':
      return new OperatorError(`${path} is damaged. It was left as it is; ${damageAdvice(path)}.`, {
        fault: 'data_damaged',
      });
    default:
      return error instanceof Error ? error : new Error(String(error));
  }
}

/** Returns a function that prepares each SQL text once, on first use. It is for SQL that the code assembles from parts. */
export function openStatements(db: Connection): <Row>(sql: string) => Database.Statement<unknown[], Row> {
  const statements = new Map<string, Database.Statement>();
  return <Row>(sql: string) => {
    const statement = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, statement);
    return statement as Database.Statement<unknown[], Row>;
  };
}

export function hasTable(db: Connection, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

/** Throws if the write did not change exactly one row. The transaction then fails. */
export function assertOneRow({ changes }: { readonly changes: number }): void {
  if (changes !== 1) throw new Error(`a write that must touch one row touched ${changes}`);
}

/** Runs a write that replaces a secret. SQLite overwrites the old secret in the database with zeros. */
export function withoutTraces<T>(db: Connection, write: () => T): T {
  const before = db.pragma('secure_delete', { simple: true }) as number;
  db.pragma('secure_delete = ON');
  try {
    return write();
  } finally {
    db.pragma(`secure_delete = ${before}`);
  }
}

/** Copies the whole WAL into the database and empties the WAL. Throws if a reader still needs the WAL. */
export function checkpointTruncate(db: Connection): void {
  if (!emptyWal(db)) throw new CheckpointBusyError();
}

/** Copies the whole WAL into the database and empties the WAL, without waiting. Returns false while a reader needs the WAL. */
export function tryEmptyWal(db: Connection): boolean {
  return withoutWaiting(db, () => emptyWal(db));
}

/** Runs `work`. While another process holds the lock, `work` does not wait but fails with SQLITE_BUSY. */
export function withoutWaiting<T>(db: Connection, work: () => T): T {
  db.pragma('busy_timeout = 0');
  try {
    return work();
  } finally {
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/**
 * Cuts off the frames of a failed commit, writes the rest of the WAL again and syncs it. So the commits survive a power cut even
 * after a failed sync. Call it before anything is copied from the WAL into the database. Otherwise the database could get one
 * page of a commit without the others. Does not wait for readers.
 */
export function secureWal(db: Connection, path: string): void {
  const count = (): number => (db.pragma('wal_checkpoint(NOOP)') as [{ log: number }])[0].log;
  const version = (): unknown => db.pragma('data_version', { simple: true });
  const first = version(); // changes when another connection commits
  const before = count(); // not possible within a transaction
  const rewrite = db.transaction(() => (version() === first ? rewriteWal(`${path}-wal`, before) : undefined));
  const readable = rewrite.immediate();
  if (readable === undefined) return secureWal(db, path);
  // Another process may have emptied the WAL after `before` was read.
  const wanted = readable < before ? count() : before;
  if (readable < wanted) throw new WalLostError(readable, wanted);
}

/** Empties a secured WAL, unless a reader needs it. Returns the error if the disk is full. */
export function emptySecuredWal(db: Connection): unknown {
  try {
    tryEmptyWal(db);
    return undefined;
  } catch (error) {
    if (classifyStorageError(error) === 'full') return error;
    throw error;
  }
}

function emptyWal(db: Connection): boolean {
  const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
  return result.busy === 0;
}

/** A checkpoint did not finish because a reader still needs the WAL. */
class CheckpointBusyError extends Error {
  readonly code = 'SQLITE_BUSY';
  constructor() {
    super('the WAL could not be emptied: a reader is still using it');
  }
}

/** The WAL on the disk differs from the WAL that SQLite has read. */
class WalLostError extends Error {
  readonly code = 'COUNTERFOIL_WAL_LOST';
  constructor(readable: number, wanted: number) {
    super(`the WAL holds ${readable} frames that can be read, and should hold ${wanted}`);
  }
}

/** Remembers the file at a path. Returns a function that says whether the path still leads to that file. */
export function watchIdentity(path: string): () => boolean {
  const { dev, ino } = statSync(path, { bigint: true });
  return () => {
    const now = statSync(path, { bigint: true, throwIfNoEntry: false });
    return now?.ino === ino && now.dev === dev;
  };
}

/** The database file was moved, deleted or replaced under the running gateway. */
export class FileReplacedError extends Error {
  readonly code = 'COUNTERFOIL_REPLACED';
  constructor() {
    super('the database file, or its WAL, is no longer where it was opened');
  }
}
