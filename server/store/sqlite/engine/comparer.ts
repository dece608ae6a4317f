// The comparer thread: compares changed resends with their originals on a read-only connection. One comparison may take half a
// second, which would delay the writer or the reader too long. Originals never change, so the result stays true.

import { openComparison } from '../records/record.ts';
import type { Comparison, Resend } from './comparison-queue.ts';
import { openDatabase } from './database.ts';
import { errorCode } from './fault.ts';
import { answerCalls, threadData } from './thread.ts';

/** A batch starts no further comparison after this time, so that other access keys get their turn. */
const MAX_BATCH_MS = 10;

const { path } = threadData<{ path: string }>();
const db = openDatabase(path, 'read');
const listDifferences = openComparison(db);

function compareOne({ originalId, ...resent }: Resend): Comparison {
  const startedAt = performance.now();
  try {
    const differences = listDifferences(originalId, resent);
    return { kind: 'compared', differences, elapsedMs: performance.now() - startedAt };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', code: errorCode(error) ?? '', message, elapsedMs: performance.now() - startedAt };
  }
}

const operations = {
  /** Compares resends in order until the deadline. Always compares the first resend. */
  compare(resends: readonly Resend[]): Comparison[] {
    const endsAt = performance.now() + MAX_BATCH_MS;
    const comparisons: Comparison[] = [];
    for (const resend of resends) {
      comparisons.push(compareOne(resend));
      if (performance.now() >= endsAt) break;
    }
    return comparisons;
  },
  close: (): void => void db.close(),
};

export type ComparerOperations = typeof operations;

answerCalls(operations);
