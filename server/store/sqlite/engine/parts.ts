// The parts from which each ledger is built: the reader and writer threads, and functions that handle the errors of calls to
// them.

import type { StoreWatcher } from '../../store.ts';
import type { Notes } from './deferred-writes.ts';
import type { FoldedReader } from './folded-reader.ts';
import type { Thread } from './thread.ts';
import type { WriterOperations } from './writer-operations.ts';

export interface EngineParts {
  readonly reader: FoldedReader;
  readonly writer: Thread<WriterOperations>;
  readonly notes: Notes;
  /** Awaits a read and turns its error into a refusal. */
  readonly reading: <T>(answer: Promise<T>) => Promise<T>;
  /** Awaits a write and turns its error into a refusal. A disk error puts the store in trouble. */
  readonly guard: <T>(answer: Promise<T>) => Promise<T>;
  /** Counts written rows and the bytes of their bodies, so that a checkpoint follows in time. */
  readonly noteWritten: (rows: number, bytes?: number) => void;
  /**
   * Awaits a change of the set-up, with the same errors as `guard`. In a gateway, it resolves when this process knows the
   * change. In a command, it resolves when a running gateway knows the change.
   */
  readonly changing: <T>(answer: Promise<T>) => Promise<T>;
  /**
   * Awaits a write about store days, with the same errors as `guard`. Afterwards it tells the watchers. `rows` is the number of
   * rows written; 1 if left out.
   */
  readonly changingDays: <T>(answer: Promise<T>, rows?: number) => Promise<T>;
  /** Calls each watcher. */
  readonly tell: (call: (watcher: Partial<StoreWatcher>) => void) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
