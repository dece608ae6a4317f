// The records of a lane that stepped back: each waits for its own time, and the one that is due first comes first. Only few
// stay in memory. Of the others the queue keeps the time alone, and says when the store must be read again to find them.

import type { WaitingRecord } from '../store/outbox/ledger.ts';
import { type Bound, isOver } from './waiting-queue.ts';

/** Records in memory. */
const MAX_IN_MEMORY: Bound = { records: 1024, bytes: 16 * 1024 * 1024 };
/** Times that are kept of records on disk. Beyond this number, records come as if they had not been tried. */
const MAX_ON_DISK = 100_000;

export interface RetryQueue {
  /** Adds a record that is due at a monotonic time. Returns those that no longer fit in memory: they are due last. */
  push(record: WaitingRecord, dueAt: number): WaitingRecord[];
  /** Takes the one that has been due longest. */
  takeDue(now: number): WaitingRecord | undefined;
  /** Takes those that match out of memory. */
  remove(matches: (record: WaitingRecord) => boolean): WaitingRecord[];
  /** Those in memory, by time. */
  records(): readonly WaitingRecord[];
  /** When the first one in memory is due; Infinity without one. */
  nextDueAt(): number;
  /** When the store must be read again for those on disk; Infinity without one. */
  rereadAt(): number;
  /** The time of one on disk, which was read; -Infinity for one that need not wait. */
  dueAtOf(recordId: number): number;
  /** A record that was on disk is in memory again, or gone. Returns whether it was on disk. */
  forgetOnDisk(recordId: number): boolean;
  /** Reading from the start has begun: those on disk that are due are found by it. */
  noteReread(now: number): void;
  /** Nobody needs to wait any longer. */
  recall(): void;
  /** In memory and on disk. */
  size(): number;
}

export function openRetryQueue(): RetryQueue {
  /** Sorted by `dueAt`; of the same time, in the order of arrival. */
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
      if (onDisk.size > 0) rereadAt = -Infinity;
      onDisk.clear();
    },
    size: () => inMemory.length + onDisk.size,
  };
}
