// One gateway per data directory. The lock is an exclusive SQLite transaction on a separate file. The operating system releases
// it when the process ends in any way, on every platform.

import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';

import { watchIdentity } from '../engine/database.ts';

export interface OwnerLock {
  /** Whether the file in the data directory is still the locked file. */
  isInPlace(): boolean;
  /** Releases the lock; safe to call twice. */
  release(): void;
}

/** File name in the data directory. */
export const LOCK_FILE = 'owner.lock';

/** How long a command may hold the lock while it creates or migrates a database. */
const MAX_WAIT_MS = 2000;

/** Time within which a running gateway takes the lock again after its file was deleted. */
const RETAKEN_WITHIN_MS = 1000;

/**
 * Waits briefly if there are data but no lock file. Somebody may have deleted the file. A running gateway then has time to take
 * the lock again.
 */
export function awaitOwner(dataDir: string, database: string): void {
  if (existsSync(join(dataDir, LOCK_FILE)) || !existsSync(database)) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETAKEN_WITHIN_MS);
}

/** Takes the lock of a data directory. Returns undefined while another process keeps it. */
export function takeOwnerLock(dataDir: string, longestWaitMs = MAX_WAIT_MS): OwnerLock | undefined {
  const path = join(dataDir, LOCK_FILE);
  closeSync(openSync(path, 'a', 0o600)); // with another mode, any user of this machine could take the lock
  const db = new Database(path, { timeout: longestWaitMs });
  try {
    db.pragma('journal_mode = MEMORY'); // a rollback journal would need space, and the disk may be full
    db.exec('BEGIN EXCLUSIVE');
    return { isInPlace: watchIdentity(path), release: () => void db.close() };
  } catch (error) {
    db.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}

const LOOK_MS = 250;
/**
 * After this many consecutive checks that found another owner, the lock counts as lost. With fewer checks, the other owner may
 * be a process that took the lock, failed to start and will soon end.
 */
const MAX_LOST_LOOKS = 20;

/**
 * If the lock file was deleted or replaced, takes the lock again within a second and calls `onFault`. So no second gateway can
 * start. If another process keeps the lock, calls `onLost`, because two gateways must not run.
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
      onFault(error); // the data directory may be gone; then storing the next record also fails
    }
  }, LOOK_MS).unref();
  return {
    release() {
      clearInterval(timer);
      lock.release();
    },
  };
}

/**
 * Whether a gateway is running on a data directory. Takes the lock for a moment; a gateway that starts in that moment waits for
 * the lock.
 */
export function isOwned(dataDir: string): boolean {
  const lock = takeOwnerLock(dataDir, 0);
  lock?.release();
  return lock === undefined;
}
