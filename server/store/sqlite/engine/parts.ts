// What the ledgers are made of: the two threads, and what surrounds each call to them.

import type { StoreWatcher } from '../../store.ts';
import type { Notes } from './deferred-writes.ts';
import type { ReaderOperations } from './reader.ts';
import type { Thread } from './thread.ts';
import type { WriterOperations } from './writer.ts';

export interface EngineParts {
  readonly reader: Thread<ReaderOperations>;
  readonly writer: Thread<WriterOperations>;
  readonly notes: Notes;
  /** Turns what a read fails with into a refusal. */
  readonly reading: <T>(answer: Promise<T>) => Promise<T>;
  /** The same for a write, which may be trouble. */
  readonly guard: <T>(answer: Promise<T>) => Promise<T>;
  /** So many rows were written. */
  readonly noteWritten: (rows: number) => void;
  /** As `guard`, for a change of the set-up: resolves when it is known here, or to a gateway that runs beside this command. */
  readonly changing: <T>(answer: Promise<T>) => Promise<T>;
  /** Writes about store days, and tells the watchers afterwards. `rows` is the number of rows written; 1 if left out. */
  readonly changingDays: <T>(answer: Promise<T>, rows?: number) => Promise<T>;
  /** Calls each watcher. */
  readonly tell: (call: (watcher: Partial<StoreWatcher>) => void) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
