// One owner per data directory. The lock is an exclusive SQLite transaction on a file of its own: the operating
// system releases it when the process ends, however it ends, on every platform the gateway runs on.

import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';

export interface OwnerLock {
  /** Gives the directory up; safe to call twice. */
  release(): void;
}

/** In the data directory. */
export const LOCK_FILE = 'owner.lock';

/** A command may hold the lock for a moment, while it makes or migrates a database. */
const LONGEST_WAIT_MS = 2000;

/** Takes the lock of a data directory, or returns undefined when another process or gateway keeps it. */
export function takeOwnerLock(dataDir: string, longestWaitMs = LONGEST_WAIT_MS): OwnerLock | undefined {
  const path = join(dataDir, LOCK_FILE);
  closeSync(openSync(path, 'a', 0o600)); // else anybody on this machine could take it
  const db = new Database(path, { timeout: longestWaitMs });
  try {
    db.pragma('journal_mode = MEMORY'); // a journal on disk takes space, which a full disk does not have
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
  return { release: () => void db.close() };
}

/** Whether a gateway is running on a data directory; one that starts at this very moment waits a little. */
export function isOwned(dataDir: string): boolean {
  const lock = takeOwnerLock(dataDir, 0);
  lock?.release();
  return lock === undefined;
}
