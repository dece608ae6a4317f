// Calls the reader. If a query finds a tail, the writer folds it first, and the query runs again.

import { setTimeout as delay } from 'node:timers/promises';

import { classifyStorageError, isDiskFault } from './fault.ts';
import type { ReaderOperations } from './reader-operations.ts';
import { isTailError } from './tail.ts';
import type { Thread } from './thread.ts';
import type { WriterOperations } from './writer-operations.ts';

export type FoldedReader = Pick<Thread<ReaderOperations>, 'call'>;

/** Maximum attempts of a query. An attempt fails while another process holds the lock, or if the snapshot has a tail again. */
const MAX_ATTEMPTS = 100;
const PAUSE_MS = 20;

/** Makes a reader that folds when needed. `guard` also gets each fold, because a disk error must put the store in trouble. */
export function openFoldedReader(
  reader: FoldedReader,
  writer: Pick<Thread<WriterOperations>, 'call'>,
  guard: (fold: Promise<void>) => Promise<void>,
): FoldedReader {
  /** The fold that is running; all waiting queries share it. Undefined if no fold is running. */
  let folding: Promise<void> | undefined;

  async function startFold(): Promise<void> {
    const fold = writer.call('fold', []);
    guard(fold).catch(() => {});
    try {
      await fold;
    } finally {
      folding = undefined;
    }
  }

  async function answerTail(
    error: unknown,
    operation: string,
    args: readonly unknown[],
    retry: () => Promise<unknown>,
  ) {
    if (!isTailError(error)) throw error;
    try {
      await (folding ??= startFold());
    } catch (fault) {
      if (isDiskFault(fault)) return writer.call('queryUnstored', [operation, args]);
      if (classifyStorageError(fault) !== 'busy') throw fault;
      await delay(PAUSE_MS);
    }
    return retry();
  }

  return {
    call(operation, args, transfer) {
      const attempt = (left: number): Promise<unknown> => {
        const answer: Promise<unknown> = reader.call(operation, args, transfer);
        if (left === 0) return answer;
        return answer.catch((error: unknown) => answerTail(error, operation, args, () => attempt(left - 1)));
      };
      return attempt(MAX_ATTEMPTS - 1) as never;
    },
  };
}
