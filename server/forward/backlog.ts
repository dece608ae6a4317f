// The records of one lane that are still to go, as far as they are in memory: read page by page in the order they came, put
// back when it was not their fault, or stepped back to wait for a time of their own. However many wait, few are here.

import type { WaitingPage, WaitingRecord } from '../store/delivery.ts';

/** The next page is read when no more than this is left; more is put back at the most when the line is down. */
const LOW_QUEUE: Bound = { records: 64, bytes: 2 * 1024 * 1024 };
const MOST_QUEUED: Bound = { records: 512, bytes: 32 * 1024 * 1024 };
/** So many that stepped back are kept in memory. */
const MOST_STEPPED_BACK: Bound = { records: 1024, bytes: 16 * 1024 * 1024 };

interface Bound {
  readonly records: number;
  readonly bytes: number;
}

export interface Backlog {
  /** The next to send: one whose own time has come, where `mayRetry`, else the oldest. */
  take(now: number, mayRetry: boolean): { readonly record: WaitingRecord; readonly isRetry: boolean } | undefined;
  /** One to find out with whether the line is up: of those that have failed least often, the oldest and the newest in turn. */
  takeProbe(failuresOf: (recordId: number) => number): WaitingRecord | undefined;
  /** This one, which was found elsewhere than in a page; undefined while it is underway. */
  takeFound(record: WaitingRecord): WaitingRecord | undefined;
  /** Back to its place among the others. Of very many the last is read again later. */
  putBack(record: WaitingRecord): void;
  /** It waits for a time of its own; monotonic. Of very many the one that has longest to wait is read again later. */
  stepBack(record: WaitingRecord, dueAt: number): void;
  /** Those that stepped back need not wait any longer. */
  recall(): void;
  /** When the next of those that stepped back is due; Infinity when none is. */
  nextDueAt(): number;
  steppedBack(): number;
  /** Whether there is, or may be, a record to send besides those that stepped back. */
  hasFresh(): boolean;
  /** Whether there is one in memory. */
  hasQueued(): boolean;
  /** It is settled on disk, and would not be read again. */
  forget(recordId: number): void;
  /** There may be new records at the end; with `fromStart`, anywhere. */
  expectMore(fromStart: boolean): void;
  /** Reads a page if few are left. Resolves to whether it brought anything, or may next time. `now` is monotonic. */
  refill(now: number): Promise<boolean>;
}

export function openBacklog(readPage: (after: number) => Promise<WaitingPage>): Backlog {
  let queue: WaitingRecord[] = [];
  let stepped: { readonly record: WaitingRecord; readonly dueAt: number }[] = [];
  /** Everything that was read and is not settled, wherever it is, so that nothing is sent twice at once. */
  const known = new Set<number>();
  let readUpTo = 0;
  let hasMore = true;
  let hasPassedOver = false;
  /** When all that were dropped are due; they are read again then. */
  let rereadAt: number | undefined;
  let isReading = false;
  /** Settled while a page was being read, which may still list them. */
  const settledMeanwhile = new Set<number>();
  let isNewestNext = false;
  /** Set back to the start while a page was being read. */
  let wasRestarted = false;

  /** Takes a record out of what may be sent; whether it was there. */
  function remove(recordId: number): boolean {
    const before = queue.length + stepped.length;
    queue = queue.filter((record) => record.recordId !== recordId);
    stepped = stepped.filter(({ record }) => record.recordId !== recordId);
    return queue.length + stepped.length < before;
  }

  /** Whether there was anything new. */
  async function readNext(): Promise<boolean> {
    wasRestarted = false;
    settledMeanwhile.clear();
    hasMore = false; // unless somebody says otherwise meanwhile
    const page = await readPage(readUpTo);
    const fresh = page.records.filter(({ recordId }) => !known.has(recordId) && !settledMeanwhile.has(recordId));
    for (const { recordId } of fresh) known.add(recordId);
    queue = queue.concat(fresh);
    hasPassedOver ||= page.hasPassedOver;
    if (!wasRestarted) readUpTo = page.last;
    hasMore ||= page.hasMore;
    return fresh.length > 0;
  }

  return {
    take(now, mayRetry) {
      const at = mayRetry ? stepped.findIndex(({ dueAt }) => dueAt <= now) : -1;
      const [due] = at === -1 ? [] : stepped.splice(at, 1);
      if (due !== undefined) return { record: due.record, isRetry: true };
      const record = queue.shift();
      return record && { record, isRetry: false };
    },
    takeProbe(failuresOf) {
      const candidates = [...stepped.map(({ record }) => record), ...queue];
      const fewest = candidates.reduce((least, { recordId }) => Math.min(least, failuresOf(recordId)), Infinity);
      const isFit = ({ recordId }: WaitingRecord): boolean => failuresOf(recordId) === fewest;
      const chosen = isNewestNext ? candidates.findLast(isFit) : candidates.find(isFit);
      isNewestNext = !isNewestNext;
      if (chosen !== undefined) remove(chosen.recordId);
      return chosen;
    },
    takeFound(record) {
      const isHere = remove(record.recordId);
      if (known.has(record.recordId) && !isHere) return undefined;
      known.add(record.recordId);
      return record;
    },
    putBack(record) {
      const at = queue.findIndex(({ recordId }) => recordId > record.recordId);
      queue.splice(at === -1 ? queue.length : at, 0, record);
      if (!isOver(queue, MOST_QUEUED)) return;
      const last = queue.pop();
      if (last === undefined) return;
      known.delete(last.recordId);
      readUpTo = Math.min(readUpTo, last.recordId - 1);
      hasMore = true;
      wasRestarted = true;
    },
    stepBack(record, dueAt) {
      stepped.push({ record, dueAt });
      const isTooMuch = isOver(
        stepped.map((each) => each.record),
        MOST_STEPPED_BACK,
      );
      if (!isTooMuch) return;
      const last = stepped.reduce((latest, each) => (each.dueAt > latest.dueAt ? each : latest));
      remove(last.record.recordId);
      known.delete(last.record.recordId);
      rereadAt = Math.max(rereadAt ?? -Infinity, last.dueAt);
    },
    recall() {
      stepped = stepped.map(({ record }) => ({ record, dueAt: -Infinity }));
      if (rereadAt !== undefined) rereadAt = -Infinity;
    },
    nextDueAt: () => stepped.reduce((least, { dueAt }) => Math.min(least, dueAt), rereadAt ?? Infinity),
    steppedBack: () => stepped.length,
    hasFresh: () => queue.length > 0 || hasMore,
    hasQueued: () => queue.length > 0,
    forget(recordId) {
      known.delete(recordId);
      if (isReading) settledMeanwhile.add(recordId);
    },
    expectMore(fromStart) {
      hasMore = true;
      if (!fromStart) return;
      readUpTo = 0;
      wasRestarted = true;
    },
    async refill(now) {
      if (isReading || isOver(queue, LOW_QUEUE)) return false;
      const isRereadDue = rereadAt !== undefined && rereadAt <= now;
      if (!hasMore && queue.length === 0 && (hasPassedOver || isRereadDue)) {
        // What was passed over may go now that what came before it has gone.
        hasPassedOver = false;
        if (isRereadDue) rereadAt = undefined;
        readUpTo = 0;
        hasMore = true;
      }
      if (!hasMore) return false;
      isReading = true;
      try {
        return (await readNext()) || hasMore;
      } catch (error) {
        hasMore = true;
        throw error;
      } finally {
        isReading = false;
      }
    },
  };
}

function isOver(records: readonly WaitingRecord[], { records: most, bytes: mostBytes }: Bound): boolean {
  if (records.length > most) return true;
  return records.reduce((sum, { body }) => sum + (body?.length ?? 0), 0) > mostBytes;
}
