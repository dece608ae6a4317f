// The records of a lane that failed and stepped back. Each record waits until its own due time. Only a few of these records
// stay in memory. For each record on disk, the queue keeps only the due time, and says when to read the record from the store
// again.

import type { WaitingRecord } from '../store/outbox/ledger.ts';
import { type Bound, isOver } from './waiting-queue.ts';

/** Maximum number of records in memory, and maximum bytes of these records. */
const MAX_IN_MEMORY: Bound = { records: 1024, bytes: 16 * 1024 * 1024 };
/**
 * Maximum due times that are kept for records on disk. Beyond this number, a due time is forgotten. Its record is then sent as
 * soon as it is read again.
 */
const MAX_ON_DISK = 100_000;

export interface RetryQueue {
  /**
   * Adds a record that is due at a monotonic time. If memory is full, drops the records that are due last, and returns them.
   */
  push(record: WaitingRecord, dueAt: number): WaitingRecord[];
  /** Takes the record that has been due longest. */
  takeDue(now: number): WaitingRecord | undefined;
  /** Removes matching records from memory, and returns them. */
  remove(matches: (record: WaitingRecord) => boolean): WaitingRecord[];
  /** The records in memory, by due time. */
  records(): readonly WaitingRecord[];
  /** When the first record in memory is due; Infinity if there is none. */
  nextDueAt(): number;
  /** The time to read the store again for records on disk. Infinity if there are none. */
  rereadAt(): number;
  /** The due time of a record on disk. -Infinity if no due time is kept; the record then need not wait. */
  dueAtOf(recordId: number): number;
  /**
   * Forgets the due time of a record on disk, because the record is in memory again or need not wait. Returns whether a due
   * time was kept.
   */
  forgetOnDisk(recordId: number): boolean;
  /** Call it when a read from the start begins. That read finds all due records on disk. */
  noteReread(now: number): void;
  /**
   * Ends the wait of the records in memory: they are due now. The records on disk keep their due times: there may be
   * thousands, and new records would wait behind them.
   */
  recall(): void;
  /** Number of records that stepped back, in memory and on disk. */
  size(): number;
}

export function openRetryQueue(): RetryQueue {
  /** Sorted by `dueAt`. Records with the same `dueAt` stay in the order in which they were added. */
  let inMemory: { readonly record: WaitingRecord; readonly dueAt: number }[] = [];
  const onDisk = new Map<number, number>();
  let rereadAt = Infinity;
  const records = (): WaitingRecord[] => inMemory.map(({ record }) => record);

  function moveLastToDisk(): WaitingRecord[] {
    const last = inMemory.pop();
    if (last === undefined) return [];
    if (onDisk.size < MAX_ON_DISK) onDisk.set(last.record.recordId, last.dueAt);
    rereadAt = Math.min(rereadAt, last.dueAt);
    return [last.record];
  }

  return {
    push(record, dueAt) {
      const at = inMemory.findLastIndex((each) => each.dueAt <= dueAt);
      inMemory.splice(at + 1, 0, { record, dueAt });
      const moved: WaitingRecord[] = [];
      while (inMemory.length > 1 && isOver(records(), MAX_IN_MEMORY)) moved.push(...moveLastToDisk());
      return moved;
    },
    takeDue(now) {
      const [first] = inMemory;
      if (first === undefined || first.dueAt > now) return undefined;
      inMemory.shift();
      return first.record;
    },
    remove(matches) {
      const removed = records().filter(matches);
      if (removed.length > 0) inMemory = inMemory.filter(({ record }) => !matches(record));
      return removed;
    },
    records,
    nextDueAt: () => inMemory[0]?.dueAt ?? Infinity,
    rereadAt: () => rereadAt,
    dueAtOf: (recordId) => onDisk.get(recordId) ?? -Infinity,
    forgetOnDisk: (recordId) => onDisk.delete(recordId),
    noteReread(now) {
      rereadAt = Infinity;
      for (const dueAt of onDisk.values()) if (dueAt > now) rereadAt = Math.min(rereadAt, dueAt);
    },
    recall() {
      inMemory = inMemory.map(({ record }) => ({ record, dueAt: -Infinity }));
    },
    size: () => inMemory.length + onDisk.size,
  };
}
