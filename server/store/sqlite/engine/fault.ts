// Classifies errors of the disk and of SQLite. The class decides whether the store stops accepting records, and which answer
// the caller gets. Uses error codes, because they survive the transfer between threads.

import type { StoreTrouble } from '../../../contract/machine.ts';
import { assertNever, GatewayError } from '../../../errors.ts';
import { PROGRAM } from '../../../program.ts';

/**
 * `full`: the disk has no space.
 * `broken`: the disk or file cannot be written.
 * `busy`: another process holds the lock, or kept the writer from folding.
 * `damaged`: stored data have changed, or an archive file cannot be read.
 * `bug`: our own mistake.
 */
export type StorageFault = 'full' | 'broken' | 'busy' | 'damaged' | 'bug';

export function classifyStorageError(error: unknown): StorageFault {
  const code = errorCode(error);
  if (code === undefined) return 'bug';
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE' || code === 'ENOSPC') return 'full';
  if (/^(SQLITE_(BUSY|LOCKED)|COUNTERFOIL_TAIL)/.test(code)) return 'busy';
  if (/^(SQLITE_CORRUPT|COUNTERFOIL_DAMAGED|COUNTERFOIL_ARCHIVE)/.test(code)) return 'damaged';
  if (
    /^(SQLITE_(IOERR|CANTOPEN|READONLY|NOTADB|PERM|AUTH|NOMEM|PROTOCOL)|COUNTERFOIL_(REPLACED|WAL_LOST)|E[A-Z]+$)/.test(
      code,
    )
  ) {
    return 'broken';
  }
  return 'bug';
}

/** Runs a read. Returns undefined if the data are damaged. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (classifyStorageError(error) === 'damaged') return undefined;
    throw error;
  }
}

/** Whether writing must stop until a test write has succeeded. */
export function isDiskFault(error: unknown): boolean {
  const fault = classifyStorageError(error);
  return fault === 'full' || fault === 'broken';
}

/** Turns an error into the refusal of a call. Nothing of that call was stored. Returns a GatewayError unchanged. */
export function refusalFor(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const fault = classifyStorageError(cause);
  switch (fault) {
    case 'full':
      return new GatewayError('store_full', { detail: TROUBLE_HINTS.store_full, retryAfterSeconds: 2, cause });
    case 'broken':
      return new GatewayError('store_unavailable', {
        detail: TROUBLE_HINTS.store_unavailable,
        retryAfterSeconds: 2,
        cause,
      });
    case 'busy':
      return new GatewayError('store_busy', {
        detail: 'The database is locked by another program; send this call again.',
        retryAfterSeconds: 1,
        cause,
      });
    case 'damaged':
      return new GatewayError('store_damaged', {
        detail:
          errorCode(cause) === 'COUNTERFOIL_ARCHIVE'
            ? `${(cause as Error).message} This call needs a record in it. Put the file back.`
            : `The stored data for this call are damaged on the disk; ${PROGRAM} check lists the damage.`,
        retryAfterSeconds: 60,
        cause,
      });
    case 'bug':
      return new GatewayError('internal', { detail: 'The store failed on this call.', cause });
    default:
      return assertNever(fault);
  }
}

/** The message to the shop while the store accepts no records. */
export const TROUBLE_HINTS: Record<StoreTrouble['code'], string> = {
  store_full:
    'The disk is full. Free some space; the gateway then continues automatically. Every confirmed sale is safe.',
  store_unavailable:
    'The gateway cannot write to the disk or the database file. Check the disk. Every confirmed sale is safe.',
};

/** The code of an error from Node, SQLite or the store. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
