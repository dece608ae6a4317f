// One owner per data directory. The lock is an exclusive SQLite transaction on a file of its own: the operating
// system releases it when the process ends, however it ends, on every platform the gateway runs on.

import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';

import { watchIdentity } from '../engine/database.ts';

export interface OwnerLock {
  /** Whether the file in the data directory is still the one that this lock is on. */
  isInPlace(): boolean;
  /** Gives the directory up; safe to call twice. */
  release(): void;
}

/** In the data directory. */
export const LOCK_FILE = 'owner.lock';

/** A command may hold the lock for a moment, while it makes or migrates a database. */
const MAX_WAIT_MS = 2000;

/** A running gateway takes a lock whose file was deleted again within this time. */
const RETAKEN_WITHIN_MS = 1000;

/** Where data are without a lock, lets a gateway that runs on them take it again first. */
export function awaitOwner(dataDir: string, database: string): void {
  if (existsSync(join(dataDir, LOCK_FILE)) || !existsSync(database)) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETAKEN_WITHIN_MS);
}

/** Takes the lock of a data directory, or returns undefined when another process or gateway keeps it. */
export function takeOwnerLock(dataDir: string, longestWaitMs = MAX_WAIT_MS): OwnerLock | undefined {
  const path = join(dataDir, LOCK_FILE);
  closeSync(openSync(path, 'a', 0o600)); // else anybody on this machine could take it
  const db = new Database(path, { timeout: longestWaitMs });
  try {
    db.pragma('journal_mode = MEMORY'); // a journal on disk takes space, which a full disk does not have
    db.exec('BEGIN EXCLUSIVE');
    return { isInPlace: watchIdentity(path), release: () => void db.close() };
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}

const LOOK_MS = 250;
/** Checks in a row that found another owner. A process that only fails to start is gone by then. */
const MAX_LOST_LOOKS = 20;

/**
 * Takes the lock again within a second if its file was deleted or replaced, so that no second gateway can start. `onFault` is told.
 * `onLost` is told when another process keeps it, because two gateways must not go on.
 */
export function keepOwnerLock(
  dataDir: string,
  first: OwnerLock,
  { onFault, onLost }: { readonly onFault: (error: unknown) => void; readonly onLost: (error: Error) => void },
): Pick<OwnerLock, 'release'> {
  let lock = first;
  let lostLooks = 0;

  function look(): void {
    if (lock.isInPlace()) {
      lostLooks = 0;
      return;
    }
    const next = takeOwnerLock(dataDir, 0);
    if (next === undefined) {
      lostLooks += 1;
      if (lostLooks === MAX_LOST_LOOKS)
        onLost(new Error(`${LOCK_FILE} was replaced, and another process keeps it now`));
      return;
    }
    lock.release();
    lock = next;
    onFault(new Error(`${LOCK_FILE} was deleted or replaced; it was taken again`));
  }

  const timer = setInterval(() => {
    try {
      look();
    } catch (error) {
      onFault(error); // the data directory may be gone, which the next record shows
    }
  }, LOOK_MS).unref();
  return {
    release() {
      clearInterval(timer);
      lock.release();
    },
  };
}

/** Whether a gateway is running on a data directory. A gateway that starts at this moment waits briefly for the lock. */
export function isOwned(dataDir: string): boolean {
  const lock = takeOwnerLock(dataDir, 0);
  lock?.release();
  return lock === undefined;
}
