// The tail: the newest records, which are not folded yet (fold.ts). A query of derived rows fails if it finds a tail, and
// its caller lets the writer fold (folded-reader.ts).

import { type Connection, hasTable } from './database.ts';
import { errorCode } from './fault.ts';
import type { Operations } from './thread.ts';

/** SQL condition on `records` that is true for records before the tail. */
export function isFolded(db: Connection): string {
  return hasTail(db) ? 'records.id <= (SELECT folded_until FROM fold)' : 'true';
}

/** Whether the data can have a tail. In data of an earlier version, derived rows were written together with the record. */
export function hasTail(db: Connection): boolean {
  return hasTable(db, 'fold');
}

/** Exported for the test that asserts the query plan. */
export const TAIL_LENGTH_SQL = 'SELECT coalesce(max(id), 0) - (SELECT folded_until FROM fold) FROM records';

/** Returns a function that counts the records in the tail. The number is too high if ids are missing. */
export function openTailReader(db: Connection): () => number {
  const select = db.prepare<[], number>(TAIL_LENGTH_SQL).pluck();
  return () => select.get() ?? 0;
}

/** Thrown when a query of derived rows finds a tail. It has a code, because an error loses its class between threads. */
export class TailError extends Error {
  readonly code = 'COUNTERFOIL_TAIL';
  constructor() {
    super('the newest records are not counted yet');
  }
}

export function isTailError(error: unknown): boolean {
  return errorCode(error) === 'COUNTERFOIL_TAIL';
}

/** Runs each query in one snapshot. A query throws a TailError if its snapshot has a tail. */
export function refuseTail<T extends Operations>(db: Connection, queries: T): T {
  const tailLength = openTailReader(db);
  const guarded = Object.entries(queries).map(([name, query]) => {
    const run = db.transaction((...args: never[]) => {
      if (tailLength() > 0) throw new TailError();
      return query(...args);
    });
    return [name, run] as const;
  });
  return Object.fromEntries(guarded) as Operations as T;
}
