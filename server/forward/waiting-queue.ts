// The records of a lane that are in memory and may be sent now, oldest first. Their number and bytes are limited.

import type { WaitingRecord } from '../store/outbox/ledger.ts';

/** Two limits; neither may be exceeded. */
export interface Bound {
  readonly records: number;
  readonly bytes: number;
}

export interface WaitingQueue {
  /** Adds a record that was just read. It is newer than all records in the queue. */
  push(record: WaitingRecord): void;
  /** Takes the oldest record. */
  shift(): WaitingRecord | undefined;
  /**
   * Puts a record back into its place. If the queue is then too large, removes the newest records and returns them. The caller
   * reads them again later.
   */
  insert(record: WaitingRecord): WaitingRecord[];
  /** Removes matching records, and returns them. */
  remove(matches: (record: WaitingRecord) => boolean): WaitingRecord[];
  /** Oldest first. */
  records(): readonly WaitingRecord[];
  exceeds(bound: Bound): boolean;
}

export function openWaitingQueue(max: Bound): WaitingQueue {
  let queue: WaitingRecord[] = [];
  const exceeds = (bound: Bound): boolean => isOver(queue, bound);

  return {
    push: (record) => void queue.push(record),
    shift: () => queue.shift(),
    insert(record) {
      const at = queue.findIndex(({ recordId }) => recordId > record.recordId);
      queue.splice(at === -1 ? queue.length : at, 0, record);
      const dropped: WaitingRecord[] = [];
      while (queue.length > 1 && exceeds(max)) dropped.push(...queue.splice(-1));
      return dropped;
    },
    remove(matches) {
      const removed = queue.filter(matches);
      if (removed.length > 0) queue = queue.filter((record) => !matches(record));
      return removed;
    },
    records: () => queue,
    exceeds,
  };
}

export function isOver(records: readonly WaitingRecord[], { records: maxRecords, bytes: maxBytes }: Bound): boolean {
  if (records.length > maxRecords) return true;
  return records.reduce((sum, { body }) => sum + (body?.length ?? 0), 0) > maxBytes;
}
