// Prepares a data directory before it is used: one owner, the newest schema, and a synced write-ahead log (WAL).

import { statSync } from 'node:fs';
import { basename, join } from 'node:path';

import type { StartFault } from '../../../contract/desktop.ts';
import { dataOption } from '../../../data-location.ts';
import { OperatorError } from '../../../errors.ts';
import { explainForbidden, isForbidden } from '../../../lib/permission.ts';
import { shellArgument } from '../../../lib/shell-argument.ts';
import { PROGRAM } from '../../../program.ts';
import type { SettledRestore } from '../../restores/ledger.ts';
import type { UpdateBackup } from '../../store.ts';
import {
  closeUntouched,
  type Connection,
  damageAdvice,
  databasePath,
  emptySecuredWal,
  makeFolder,
  openDatabase,
  secureWal,
} from '../engine/database.ts';
import type { Examination } from '../engine/examiner.ts';
import { classifyStorageError, errorCode } from '../engine/fault.ts';
import { type FileKind, findFileKind, noteFile } from '../integrity/known-file.ts';
import { assertOwnSchema, assertSecrets } from '../integrity/own-schema.ts';
import { readIndexFault, repairIndexes } from '../integrity/scrub.ts';
import { assertOwnWal } from '../integrity/wal-mark.ts';
import { assertWalSound, repairWal } from '../integrity/wal-repair.ts';
import { assertSchemaFit, isSchemaFit, isUpdateDue, migrate } from '../migrations.ts';
import { assertOwnLinks } from './data-directory.ts';
import { assertDataFiles, assertFile, assertOwnFiles } from './data-files.ts';
import { awaitOwner, isOwned, LOCK_FILE, type OwnerLock, takeOwnerLock } from './lock.ts';
import { isReplacementOpen, settleReplacement } from './replacement.ts';
import { releaseReserve } from './reserve.ts';
import { backUpBeforeUpdate, findUpdateBackup } from './update-backup.ts';

/** A data directory ready for its gateway. */
export interface Prepared {
  readonly lock: OwnerLock;
  /** The error of a full disk, if the reserve had to be released to open the data; otherwise undefined. */
  readonly fullDisk: unknown;
  readonly file: FileKind;
  /** The result of examining the data if they are a copy; otherwise undefined. */
  readonly examination: Examination | undefined;
  /** The end of a restore that was planned or interrupted; otherwise undefined. */
  readonly restore: SettledRestore | undefined;
}

/** Work on the data that may take minutes. */
export interface LongWork {
  /** Reads a copy completely and reports its faults. */
  examine(path: string): Promise<Examination>;
  /** Backs up data of an earlier version and migrates them. A second call after a failure makes no second backup. */
  update(): Promise<void>;
}

/**
 * Prepares a data directory for a gateway. If the data are a copy, examines them first, and leaves a damaged copy unchanged.
 * Writes the WAL again, because after a failed sync it may not be on the disk. Rejects with an OperatorError that says what to
 * do.
 */
export async function prepareForGateway(dataDir: string, now: number, work: LongWork): Promise<Prepared> {
  try {
    return await prepare(dataDir, now, work);
  } catch (error) {
    throw explainStart(dataDir, error);
  }
}

async function prepare(dataDir: string, now: number, work: LongWork): Promise<Prepared> {
  const lock = lockDirectory(dataDir, () => {
    if (!isReplacementOpen(dataDir)) assertDataFiles(dataDir);
  });
  if (lock === undefined) {
    throw new OperatorError(
      `Another gateway is running on ${dataDir}, or a command is migrating or restoring its data. Stop the gateway or wait for the command, or choose another data directory.`,
      { fault: 'data_in_use' },
    );
  }
  let hasIndexFault = false;
  /**
   * Opens the data. Returns the error if the disk is full; the WAL then stays as it is. Changes nothing if the data must be updated
   * first.
   */
  const open = (): { readonly isUpdateDue: boolean; readonly fullDisk?: unknown } =>
    withConnection(dataDir, (db) => {
      assertOwnSchema(db);
      secureWal(db, databasePath(dataDir)); // before the migration, because the migration writes to the WAL
      if (isUpdateDue(db)) return { isUpdateDue: true };
      migrate(db);
      assertSecrets(db);
      if (hasIndexFault || readIndexFault(db) !== null) repairIndexes(db);
      return { isUpdateDue: false, fullDisk: emptySecuredWal(db) };
    });
  const openUpdated = async (): Promise<unknown> => {
    const { isUpdateDue: isDue, fullDisk } = open();
    if (!isDue) return fullDisk;
    await work.update();
    return open().fullDisk;
  };
  try {
    const restore = settleReplacement(dataDir);
    assertDataFiles(dataDir);
    assertOwnFiles(dataDir);
    assertOwnWal(dataDir);
    repairWal(dataDir, now);
    const file = findFileKind(databasePath(dataDir));
    const examination = file === 'copy' || file === 'backup' ? await work.examine(databasePath(dataDir)) : undefined;
    hasIndexFault = examination?.hasIndexFault === true;
    if (examination?.fault !== undefined) throw damagedCopy(dataDir, examination.fault);
    const fullDisk = await openOrFull(openUpdated);
    if (fullDisk !== undefined) {
      releaseReserve(dataDir);
      await openUpdated();
    }
    return { lock, fullDisk, file, examination, restore };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Creates a missing data directory, and takes its lock. Runs `check` before. Returns undefined while another process keeps it. */
function lockDirectory(dataDir: string, check: () => void): OwnerLock | undefined {
  assertOwnLinks(dataDir);
  makeFolder(dataDir);
  check();
  awaitOwner(dataDir, databasePath(dataDir));
  return takeLock(dataDir);
}

/** Takes the lock of a data directory, to restore a backup there. Throws an OperatorError while another process keeps it. */
export function lockForRestore(dataDir: string): OwnerLock {
  const lock = explained(dataDir, () => lockDirectory(dataDir, () => {}));
  if (lock !== undefined) return lock;
  throw new OperatorError(
    `A gateway is running on ${dataDir}, or a command is migrating or restoring its data. Stop the gateway, then restore again. Nothing was changed.`,
    { fault: 'data_in_use' },
  );
}

/** Completes an interrupted restore. Throws an OperatorError if a restore is running. */
export function settleRestore(dataDir: string): void {
  if (isReplacementOpen(dataDir)) {
    const lock = lockForRestore(dataDir);
    try {
      settleReplacement(dataDir);
    } finally {
      lock.release();
    }
  }
}

function damagedCopy(dataDir: string, fault: string): OperatorError {
  return new OperatorError(
    `${databasePath(dataDir)} is damaged: ${fault}. It was left as it is; ${damageAdvice(databasePath(dataDir))}.`,
    {
      fault: 'data_damaged',
    },
  );
}

/**
 * Prepares a data directory for a command. Changes no schema while a gateway runs. Returns the backup before a migration. With `mustExist`, throws an OperatorError if
 * the directory has no data, and creates nothing.
 */
export function prepareForCommand(dataDir: string, mustExist: boolean, now: number): UpdateBackup | undefined {
  return explained(dataDir, () => {
    assertOwnLinks(dataDir);
    settleRestore(dataDir);
    if (mustExist) assertData(dataDir);
    makeFolder(dataDir);
    assertDataFiles(dataDir);
    assertFile(join(dataDir, LOCK_FILE));
    awaitOwner(dataDir, databasePath(dataDir));
    const isAlone = !isOwned(dataDir);
    if (isAlone) {
      assertOwnFiles(dataDir);
      assertOwnWal(dataDir);
      assertWalSound(dataDir);
    }
    const isNew = isAlone && findFileKind(databasePath(dataDir)) === 'new';
    return withConnection(dataDir, (db) => {
      assertOwnSchema(db);
      if (isAlone) secureWal(db, databasePath(dataDir)); // closing the database may copy the WAL into it
      if (isSchemaFit(db)) return undefined;
      const lock = takeLock(dataDir);
      try {
        if (lock === undefined) assertSchemaFit(db);
        const backup = lock && backUpBeforeUpdate(db, dataDir, now);
        if (lock !== undefined) migrate(db);
        if (isNew) noteFile(db, databasePath(dataDir));
        return backup;
      } finally {
        lock?.release();
      }
    });
  });
}

/** Throws an OperatorError if there are no data, or if the data cannot be read. */
export function assertData(dataDir: string): void {
  explained(dataDir, () => {
    try {
      statSync(databasePath(dataDir));
    } catch (error) {
      if (isForbidden(error)) throw forbidden(dataDir, error) ?? error;
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
      throw new OperatorError(
        `The directory ${dataDir} has no data. Name the gateway's data directory with --data or COUNTERFOIL_DATA, or make a first key there: ${PROGRAM} keys create${dataOption(dataDir)}`,
      );
    }
  });
}

/** Creates a data directory and a folder in it, if they are missing. Throws an OperatorError that says what to do. */
export function prepareFolder(dataDir: string, folder: string): void {
  explained(dataDir, () => {
    assertOwnLinks(dataDir);
    makeFolder(join(dataDir, folder));
    assertOwnLinks(join(dataDir, folder));
  });
}

/** Returns the error if the disk is full, whether `open` returns or throws it. Throws any other error. */
async function openOrFull(open: () => Promise<unknown>): Promise<unknown> {
  try {
    return await open();
  } catch (error) {
    if (classifyStorageError(error) === 'full') return error;
    throw error;
  }
}

/** Opens the database and runs `work` with it. If `work` throws, leaves the database and its WAL as they are. */
function withConnection<T>(dataDir: string, work: (db: Connection) => T): T {
  const path = databasePath(dataDir);
  const db = openDatabase(path, 'write');
  try {
    const result = work(db);
    db.close();
    return result;
  } catch (error) {
    if (db.open) closeUntouched(db, path);
    throw error;
  }
}

function explained<T>(dataDir: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explainStart(dataDir, error);
  }
}

/** Returns an OperatorError that explains why the data cannot be opened. Returns an error of our own code unchanged. */
export function explainStart(dataDir: string, error: unknown): unknown {
  if (error instanceof OperatorError) return error.fault === 'data_newer' ? withUpdateBackup(dataDir, error) : error;
  const fault = classifyStorageError(error);
  const code = errorCode(error) ?? '';
  if (fault === 'bug') {
    if (!/^SQLITE_(ERROR|CONSTRAINT|SCHEMA|FORMAT|MISMATCH)/.test(code)) return error;
    return new OperatorError(
      `The data in ${dataDir} are damaged: ${(error as Error).message}. Keep a copy of them; ${damageAdvice(databasePath(dataDir))}.`,
      { cause: error, fault: 'data_damaged' },
    );
  }
  const explanation = fault === 'broken' ? forbidden(dataDir, error) : undefined;
  if (explanation !== undefined) return explanation;
  const { reason, startFault } = STORAGE_FAULTS[fault];
  const advice = fault === 'damaged' ? `; ${damageAdvice(databasePath(dataDir))}` : '';
  return new OperatorError(`The data in ${dataDir} cannot be opened: ${reason}${advice} (${code}).`, {
    cause: error,
    fault: startFault,
  });
}

/** Adds to the error of newer data how to return to the data from before the update, if their backup exists. */
function withUpdateBackup(dataDir: string, error: OperatorError): OperatorError {
  const path = findUpdateBackup(dataDir);
  if (path === undefined || error.message.includes(path)) return error;
  return new OperatorError(
    `${error.message} Or return to the data from before the update, without the sales since then: ${PROGRAM} restore ${shellArgument(path)} --data ${shellArgument(dataDir)}`,
    { cause: error, fault: error.fault },
  );
}

/** Takes the lock. Returns undefined while another process keeps it. */
function takeLock(dataDir: string): OwnerLock | undefined {
  const path = join(dataDir, LOCK_FILE);
  assertFile(path);
  try {
    return takeOwnerLock(dataDir);
  } catch (error) {
    if (!/^SQLITE_(NOTADB|CORRUPT)/.test(errorCode(error) ?? '')) throw error;
    throw new OperatorError(
      `${path} is not the lock file of a gateway. Delete it while no gateway runs on ${dataDir}, then start again. Nothing was changed.`,
      { cause: error, fault: 'data_damaged' },
    );
  }
}

/** If permissions are missing, returns an error that names the owner of the data. Otherwise returns undefined. */
function forbidden(dataDir: string, cause: unknown): OperatorError | undefined {
  const database = basename(databasePath(dataDir));
  const files = ['', '-wal', '-shm'].map((end) => database + end);
  const explanation = explainForbidden(dataDir, [...files, LOCK_FILE]);
  return explanation === undefined ? undefined : new OperatorError(explanation, { cause, fault: 'data_unwritable' });
}

/** For each kind of disk fault: the fault that the start reports, and the reason in words. */
const STORAGE_FAULTS = {
  full: { startFault: 'disk_full', reason: 'the disk is full. Free some space' },
  broken: {
    startFault: 'data_unwritable',
    reason: 'it cannot be written. Check that the directory belongs to you and that the disk works',
  },
  busy: {
    startFault: 'data_in_use',
    reason: 'another program is writing to it. Try again when that program has ended',
  },
  damaged: { startFault: 'data_damaged', reason: 'it is damaged. It was left as it is' },
} as const satisfies Readonly<Record<string, { readonly startFault: StartFault; readonly reason: string }>>;
