// What each ledger is built from: the reader and writer threads, and functions that handle the errors of calls to them.

import type { StoreWatcher } from '../../store.ts';
import type { Notes } from './deferred-writes.ts';
import type { FoldedReader } from './folded-reader.ts';
import type { Thread } from './thread.ts';
import type { WriterOperations } from './writer.ts';

export interface EngineParts {
  readonly reader: FoldedReader;
  readonly writer: Thread<WriterOperations>;
  readonly notes: Notes;
  /** Awaits a read and turns its error into a refusal. */
  readonly reading: <T>(answer: Promise<T>) => Promise<T>;
  /** Awaits a write and turns its error into a refusal. A disk error puts the store in trouble. */
  readonly guard: <T>(answer: Promise<T>) => Promise<T>;
  /** Counts written rows, so that a checkpoint follows in time. */
  readonly noteWritten: (rows: number) => void;
  /**
   * Like `guard`, for a change of the set-up. Resolves when this process knows the change or, for a command, when a running
   * gateway does.
   */
  readonly changing: <T>(answer: Promise<T>) => Promise<T>;
  /**
   * Like `guard`, for a write about store days, but tells the watchers afterwards. `rows` is the number of rows written; 1 if
   * left out.
   */
  readonly changingDays: <T>(answer: Promise<T>, rows?: number) => Promise<T>;
  /** Calls each watcher. */
  readonly tell: (call: (watcher: Partial<StoreWatcher>) => void) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
