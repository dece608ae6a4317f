// Hands out the waiting records of one lane. It leaves out none, hands out none twice at the same time, and keeps only few in
// memory. It has three parts: the queue (records that may be sent at once), the retry queue (records that stepped back: each waits
// for its own time), and the cursor (how far the store was read).

import type { WaitingPage, WaitingRecord } from '../store/outbox/ledger.ts';
import { openReadCursor } from './read-cursor.ts';
import { openRetryQueue } from './retry-queue.ts';
import { type Bound, openWaitingQueue } from './waiting-queue.ts';

/** The next page of records is read when the queue is at or below both limits. */
const LOW_QUEUE: Bound = { records: 64, bytes: 2 * 1024 * 1024 };
/** Maximum size of the queue. The queue would exceed it if many records in flight were put back when the line goes down. */
const MAX_QUEUED: Bound = { records: 512, bytes: 32 * 1024 * 1024 };

export interface Backlog {
  /** The next to send: a retry that is due, if `mayRetry`; otherwise the oldest. */
  take(now: number, mayRetry: boolean): { readonly record: WaitingRecord; readonly isRetry: boolean } | undefined;
  /**
   * Takes a record to test the line: of the records that failed least often, the first and the last in turn. In this order, retries
   * come first, by due time.
   */
  takeProbe(failuresOf: (recordId: number) => number): WaitingRecord | undefined;
  /** Takes the record that `find` looks up in the store. Undefined if `find` finds none, or the record may not be sent now. */
  takeFound(find: () => Promise<WaitingRecord | undefined>): Promise<WaitingRecord | undefined>;
  /** Puts a record back into its place in the queue. If too many are queued, the newest is read again later. */
  putBack(record: WaitingRecord): void;
  /** Lets a record wait until a monotonic time. If too many wait, the record that is due last is read again later. */
  stepBack(record: WaitingRecord, dueAt: number): void;
  /** Drops a record from memory; it is read again after `expectAnywhere`. */
  leave(record: WaitingRecord): void;
  /** Like `leave`, for all records that `isBarred` holds back. */
  leaveBarred(): void;
  /** Whether a record was read and is not settled: queued, waiting or in flight. */
  isKnown(recordId: number): boolean;
  /** Ends the wait of all records that stepped back. */
  recall(): void;
  /** When to call `take` or `refill` next; Infinity for never. */
  nextDueAt(): number;
  /** The number of records that stepped back. */
  steppedBack(): number;
  /** Whether a record that did not step back is in the queue, or may still be unread in the store. */
  hasFresh(): boolean;
  /** Whether the queue has a record. */
  hasQueued(): boolean;
  /** Call it when a record is settled on disk, so the store does not list it any more. */
  forget(recordId: number): void;
  /** Call it when the store may have new records at the end. */
  expectNew(): void;
  /** Call it when older records may wait again: all waiting records are read from the start again. */
  expectAnywhere(): void;
  /** Reads a page if few are left. Resolves to true if records were added or another page may follow. `now` is monotonic. */
  refill(now: number): Promise<boolean>;
}

/** Opens the backlog of a lane. Records for which `isBarred` returns true may not be sent now, and stay on disk. */
export function openBacklog(
  readPage: (after: number) => Promise<WaitingPage>,
  isBarred: (record: WaitingRecord) => boolean = () => false,
): Backlog {
  const queue = openWaitingQueue(MAX_QUEUED);
  const retries = openRetryQueue();
  const cursor = openReadCursor();
  /**
   * Every record that was read and is not settled. No record in this set is taken again from the store, so none is sent twice at
   * once.
   */
  const known = new Set<number>();
  /** For each read in progress, the records that were settled meanwhile. The page that is being read may still list them. */
  const settledDuring = new Set<Set<number>>();
  let isReading = false;
  let isNewestNext = false;

  /** Takes a record out of both queues; returns whether it was there. */
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

  /** Awaits `read`, and collects the records that are settled meanwhile. */
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

  /** Reads the next page. Resolves to whether it had a new record, or the next page may have one. */
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
    return isNew || cursor.hasMore();
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
      const candidates = [...retries.records(), ...queue.records()];
      const fewest = candidates.reduce((least, { recordId }) => Math.min(least, failuresOf(recordId)), Infinity);
      const isFit = ({ recordId }: WaitingRecord): boolean => failuresOf(recordId) === fewest;
      const chosen = isNewestNext ? candidates.findLast(isFit) : candidates.find(isFit);
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
    // Only one page is read at a time; `refill` resolves when it is done.
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
