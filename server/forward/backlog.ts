// Hands out the waiting records of one lane. It hands out every record, but never the same record twice at the same time. It
// keeps only a few records in memory, and has three parts. The queue has records that may be sent now. The retry queue has
// records that each wait until their own due time. The cursor is the position up to which the store was read.

import type { WaitingPage, WaitingRecord } from '../store/outbox/ledger.ts';
import { openReadCursor } from './read-cursor.ts';
import { openRetryQueue } from './retry-queue.ts';
import { type Bound, openWaitingQueue } from './waiting-queue.ts';

/** The next page of records is read when the queue is at or below both limits. */
const LOW_QUEUE: Bound = { records: 64, bytes: 2 * 1024 * 1024 };
/**
 * Maximum size of the queue. When the line goes down, the records in flight return to the queue. If it is then too large, its
 * newest records are dropped from memory.
 */
const MAX_QUEUED: Bound = { records: 512, bytes: 32 * 1024 * 1024 };

export interface Backlog {
  /**
   * Takes the next record to send. If `mayRetry` is true and a retry is due, takes the retry. Otherwise takes the oldest record
   * of the queue.
   */
  take(now: number, mayRetry: boolean): { readonly record: WaitingRecord; readonly isRetry: boolean } | undefined;
  /**
   * Takes a record to test the line. Only records with the fewest failures are candidates. If one of them is in the queue, the
   * retries are none, because they have failed before. Calls alternate between the first and the last candidate.
   */
  takeProbe(failuresOf: (recordId: number) => number): WaitingRecord | undefined;
  /**
   * Takes the record that `find` looks up in the store. Undefined if `find` finds no record, or if the record may not be sent
   * now.
   */
  takeFound(find: () => Promise<WaitingRecord | undefined>): Promise<WaitingRecord | undefined>;
  /**
   * Puts a record back into its place in the queue. If the queue is then too large, drops its newest record, and reads that
   * record from the store again later.
   */
  putBack(record: WaitingRecord): void;
  /**
   * Makes a record wait until `dueAt`, a monotonic time. If too many records wait in memory, drops the record that is due last,
   * and reads it from the store again later.
   */
  stepBack(record: WaitingRecord, dueAt: number): void;
  /** Drops a record from memory. It is read from the store again after `expectAnywhere`. */
  leave(record: WaitingRecord): void;
  /** Drops from memory all records for which `isBarred` returns true. They are read again after `expectAnywhere`. */
  leaveBarred(): void;
  /** True if a record was read and has no final outcome yet: it is in the queue, in the retry queue or in flight. */
  isKnown(recordId: number): boolean;
  /** Makes the records in memory that stepped back (`stepBack`) due now. */
  recall(): void;
  /** The next time to call `take` or `refill`. Infinity means never. */
  nextDueAt(): number;
  /** The number of records that stepped back (`stepBack`). */
  steppedBack(): number;
  /**
   * True if the queue has a record, or if the store may have unread records. Ignores records that stepped back (`stepBack`).
   */
  hasFresh(): boolean;
  /** Whether the queue has a record. */
  hasQueued(): boolean;
  /** Call it when the outcome of a record is on disk. The store then no longer lists the record as waiting. */
  forget(recordId: number): void;
  /** Call it when the store may have new records after the last one that was read. */
  expectNew(): void;
  /** Call it when older records may wait again. All waiting records are then read from the start. */
  expectAnywhere(): void;
  /**
   * Reads a page if the queue has few records. Resolves to true if a page was read and there may be more to do: the caller then
   * calls `take` and `nextDueAt` again. `now` is monotonic.
   */
  refill(now: number): Promise<boolean>;
}

/** Opens the backlog of a lane. If `isBarred` returns true for a record, it may not be sent now, and stays on disk. */
export function openBacklog(
  readPage: (after: number) => Promise<WaitingPage>,
  isBarred: (record: WaitingRecord) => boolean = () => false,
): Backlog {
  const queue = openWaitingQueue(MAX_QUEUED);
  const retries = openRetryQueue();
  const cursor = openReadCursor();
  /**
   * Every record that was read and has no final outcome yet. A record in this set is not taken from the store again, so that no
   * record is sent twice at the same time.
   */
  const known = new Set<number>();
  /**
   * One set for each read that is running. It has the records whose outcome reached the disk during the read, because the read
   * may still list them as waiting.
   */
  const settledDuring = new Set<Set<number>>();
  let isReading = false;
  let isNewestNext = false;

  /** Removes a record from both queues. Returns whether it was in one of them. */
  function remove(recordId: number): boolean {
    const isIt = (record: WaitingRecord): boolean => record.recordId === recordId;
    return queue.remove(isIt).length + retries.remove(isIt).length > 0;
  }

  function dropAll(records: readonly WaitingRecord[]): void {
    for (const { recordId } of records) known.delete(recordId);
  }

  function stepBack(record: WaitingRecord, dueAt: number): void {
    dropAll(retries.push(record, dueAt));
  }

  /** Runs `read`. Returns its result, and the records whose outcome reached the disk during the read. */
  async function reading<T>(
    read: () => Promise<T>,
  ): Promise<{ readonly found: T; readonly settled: ReadonlySet<number> }> {
    const settled = new Set<number>();
    settledDuring.add(settled);
    try {
      return { found: await read(), settled };
    } finally {
      settledDuring.delete(settled);
    }
  }

  /** Reads the next page. Resolves to true if the page had a new record, or if there is more to read, now or later. */
  async function readNext(now: number): Promise<boolean> {
    cursor.beginPage();
    const { found: page, settled } = await reading(() => readPage(cursor.position()));
    let isNew = false;
    for (const record of page.records) {
      const { recordId } = record;
      const dueAt = retries.dueAtOf(recordId);
      if (known.has(recordId) || settled.has(recordId) || dueAt > now || isBarred(record)) continue;
      isNew = true;
      known.add(recordId);
      if (retries.forgetOnDisk(recordId)) stepBack(record, dueAt);
      else queue.push(record);
    }
    cursor.endPage(page);
    return isNew || cursor.hasMore() || startOverAt() < Infinity;
  }

  const hasQueued = (): boolean => queue.records().length > 0;
  const startOverAt = (): number => cursor.startOverAt(!hasQueued(), retries.rereadAt());

  return {
    take(now, mayRetry) {
      const due = mayRetry ? retries.takeDue(now) : undefined;
      if (due !== undefined) return { record: due, isRetry: true };
      const record = queue.shift();
      return record && { record, isRetry: false };
    },
    takeProbe(failuresOf) {
      const all = [...retries.records(), ...queue.records()];
      const fewest = all.reduce((least, { recordId }) => Math.min(least, failuresOf(recordId)), Infinity);
      const isFit = ({ recordId }: WaitingRecord): boolean => failuresOf(recordId) === fewest;
      const queued = queue.records().filter(isFit);
      const candidates = queued.length > 0 ? queued : retries.records().filter(isFit);
      const chosen = candidates.at(isNewestNext ? -1 : 0);
      isNewestNext = !isNewestNext;
      if (chosen !== undefined) remove(chosen.recordId);
      return chosen;
    },
    async takeFound(find) {
      const { found, settled } = await reading(find);
      if (found === undefined || settled.has(found.recordId)) return undefined;
      if (!remove(found.recordId) && known.has(found.recordId)) return undefined; // the record is in flight
      known.add(found.recordId);
      retries.forgetOnDisk(found.recordId);
      return found;
    },
    putBack(record) {
      const dropped = queue.insert(record);
      dropAll(dropped);
      for (const { recordId } of dropped) cursor.setBack(recordId - 1);
    },
    stepBack,
    leave: ({ recordId }) => void known.delete(recordId),
    leaveBarred() {
      dropAll([...queue.remove(isBarred), ...retries.remove(isBarred)]);
    },
    isKnown: (recordId) => known.has(recordId),
    recall: retries.recall,
    // While a page is being read, no wake-up for the next page is needed. Only one page is read at a time, and `refill`
    // resolves when the page was read.
    nextDueAt: () => Math.min(retries.nextDueAt(), isReading ? Infinity : startOverAt()),
    steppedBack: retries.size,
    hasFresh: () => hasQueued() || cursor.hasMore(),
    hasQueued,
    forget(recordId) {
      known.delete(recordId);
      cursor.noteSettled();
      for (const settled of settledDuring) settled.add(recordId);
    },
    expectNew: cursor.expectMore,
    expectAnywhere: cursor.expectAnywhere,
    async refill(now) {
      if (isReading || queue.exceeds(LOW_QUEUE)) return false;
      if (startOverAt() <= now) {
        cursor.startOver(now);
        retries.noteReread(now);
      }
      if (!cursor.hasMore()) return false;
      isReading = true;
      try {
        return await readNext(now);
      } catch (error) {
        cursor.failPage();
        throw error;
      } finally {
        isReading = false;
      }
    },
  };
}
