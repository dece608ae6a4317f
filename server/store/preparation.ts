// What happens before anything is served: one owner, the newest schema, and an empty WAL.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { StartFault } from '../contract.ts';
import { OperatorError } from '../errors.ts';
import { explainForbidden, isForbidden } from '../permission.ts';
import { PROGRAM } from '../program.ts';
import { assertOwnLinks } from './data-directory.ts';
import { type Connection, checkpointTruncate, databasePath, openDatabase } from './database.ts';
import { classifyStorageError, errorCode } from './fault.ts';
import { LOCK_FILE, type OwnerLock, takeOwnerLock } from './lock.ts';
import { assertSchemaFit, isSchemaFit, migrate } from './migrations.ts';
import { assertOwnSchema } from './own-schema.ts';
import { releaseReserve } from './reserve.ts';

/** A data directory that is ready for its gateway. */
export interface Prepared {
  readonly lock: OwnerLock;
  /** The error of a full disk, where the reserve had to be released to open the data. */
  readonly fullDisk: unknown;
}

/**
 * Makes a data directory ready for a gateway. That the WAL can be emptied is what makes a restart safe after a failed
 * sync, so its failure is fatal. Throws an OperatorError that says what to do.
 */
export function prepareForGateway(dataDir: string): Prepared {
  return explained(dataDir, () => {
    assertOwnLinks(dataDir);
    makeDirectory(dataDir);
    const lock = takeOwnerLock(dataDir);
    if (lock === undefined) {
      throw new OperatorError(
        `Another gateway is running on ${dataDir}, or a command is bringing its data to this version. Stop the gateway or let the command end first, or choose another data directory.`,
        { fault: 'data_in_use' },
      );
    }
    const open = (): void =>
      withConnection(dataDir, (db) => {
        assertOwnSchema(db);
        migrate(db);
        checkpointTruncate(db);
      });
    try {
      try {
        open();
        return { lock, fullDisk: undefined };
      } catch (fullDisk) {
        if (classifyStorageError(fullDisk) !== 'full') throw fullDisk;
        releaseReserve(dataDir);
        open();
        return { lock, fullDisk };
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

/**
 * Makes a data directory ready for a command, which may run beside a gateway and then changes no schema. With
 * `mustExist` a directory without data is an OperatorError and stays as it is.
 */
export function prepareForCommand(dataDir: string, mustExist: boolean): void {
  explained(dataDir, () => {
    assertOwnLinks(dataDir);
    if (mustExist) assertData(dataDir);
    makeDirectory(dataDir);
    withConnection(dataDir, (db) => {
      assertOwnSchema(db);
      if (isSchemaFit(db)) return;
      const lock = takeOwnerLock(dataDir);
      try {
        if (lock === undefined) assertSchemaFit(db);
        else migrate(db);
      } finally {
        lock?.release();
      }
    });
  });
}

/** Throws an OperatorError where there are no data, or where they cannot be looked at. */
export function assertData(dataDir: string): void {
  explained(dataDir, () => {
    try {
      statSync(databasePath(dataDir));
    } catch (error) {
      if (isForbidden(error)) throw forbidden(dataDir, error) ?? error;
      if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
      throw new OperatorError(
        `There are no data in ${dataDir}. Name the gateway's data directory with --data or COUNTERFOIL_DATA, or make a first key there with ${PROGRAM} keys create.`,
      );
    }
  });
}

/** Makes a data directory and a folder in it, where they are not there. Throws an OperatorError that says what to do. */
export function prepareFolder(dataDir: string, folder: string): void {
  explained(dataDir, () => {
    assertOwnLinks(dataDir);
    makeDirectory(join(dataDir, folder));
    assertOwnLinks(join(dataDir, folder));
  });
}

/** Not `recursive: true`, with which Node never returns where a parent takes no directories, such as /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error; // another process was faster
  }
}

function withConnection(dataDir: string, work: (db: Connection) => void): void {
  const db = openDatabase(databasePath(dataDir), 'write');
  try {
    work(db);
  } finally {
    db.close();
  }
}

function explained<T>(dataDir: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const fault = classifyStorageError(error);
    if (error instanceof OperatorError || fault === 'bug') throw error;
    const explanation = fault === 'broken' ? forbidden(dataDir, error) : undefined;
    if (explanation !== undefined) throw explanation;
    const { reason, startFault } = STORAGE_FAULTS[fault];
    throw new OperatorError(`The data in ${dataDir} cannot be opened: ${reason} (${errorCode(error) ?? ''}).`, {
      cause: error,
      fault: startFault,
    });
  }
}

/** For a user who may not use the data: says whose they are. Undefined where nothing is forbidden. */
function forbidden(dataDir: string, cause: unknown): OperatorError | undefined {
  const database = basename(databasePath(dataDir));
  const files = ['', '-wal', '-shm'].map((end) => database + end);
  const explanation = explainForbidden(dataDir, [...files, LOCK_FILE]);
  return explanation === undefined ? undefined : new OperatorError(explanation, { cause, fault: 'data_unwritable' });
}

/** What a fault of the disk means for a start. */
const STORAGE_FAULTS = {
  full: { startFault: 'disk_full', reason: 'the disk is full. Free some space' },
  broken: {
    startFault: 'data_unwritable',
    reason: 'it cannot be written. Check that it is a directory of yours on a working disk',
  },
  busy: {
    startFault: 'data_in_use',
    reason: `another program is reading it, such as a running ${PROGRAM} check. Try again when that has ended`,
  },
  damaged: { startFault: 'data_damaged', reason: 'it is damaged. It was left as it is; restore a copy' },
} as const satisfies Readonly<Record<string, { readonly startFault: StartFault; readonly reason: string }>>;
