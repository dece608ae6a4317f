// What an error of the disk or of SQLite means: for the store, which must stop taking records after some of them, and
// for the caller, who is told in words. Errors are told apart by their code, which also crosses thread borders.

import type { StoreTrouble } from '../../../contract/machine.ts';
import { assertNever, GatewayError } from '../../../errors.ts';
import { PROGRAM } from '../../../program.ts';

/**
 * full: no space. broken: the disk or the file cannot be written. busy: somebody else holds the lock.
 * damaged: what is stored is not what was stored. bug: our own.
 */
export type StorageFault = 'full' | 'broken' | 'busy' | 'damaged' | 'bug';

export function classifyStorageError(error: unknown): StorageFault {
  const code = errorCode(error);
  if (code === undefined) return 'bug';
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE' || code === 'ENOSPC') return 'full';
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (/^(SQLITE_CORRUPT|COUNTERFOIL_DAMAGED)/.test(code)) return 'damaged';
  if (
    /^(SQLITE_(IOERR|CANTOPEN|READONLY|NOTADB|PERM|AUTH|NOMEM|PROTOCOL)|COUNTERFOIL_(REPLACED|WAL_LOST)|E[A-Z]+$)/.test(
      code,
    )
  ) {
    return 'broken';
  }
  return 'bug';
}

/** Undefined where what is read is damaged. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (classifyStorageError(error) === 'damaged') return undefined;
    throw error;
  }
}

/** Whether writing must stop until the disk has proved itself again. */
export function isDiskFault(error: unknown): boolean {
  const fault = classifyStorageError(error);
  return fault === 'full' || fault === 'broken';
}

/** What the caller of the store is told; nothing of the call was kept. A refusal stays as it is. */
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
        detail: `What is stored and belongs to this call is damaged on the disk; ${PROGRAM} check lists the damage.`,
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

/** The code that Node, SQLite or the store put on an error. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
