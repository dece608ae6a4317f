// The records of one lane that are still to go, as far as they are in memory: read page by page in the order they came, put
// back when it was not their fault, or stepped back to wait for a time of their own. However many wait, few are here.

import type { WaitingPage, WaitingRecord } from '../store/outbox/ledger.ts';

/** The next page is read when no more than this is left; more is put back at the most when the line is down. */
const LOW_QUEUE: Bound = { records: 64, bytes: 2 * 1024 * 1024 };
const MAX_QUEUED: Bound = { records: 512, bytes: 32 * 1024 * 1024 };
/** So many that stepped back are kept in memory. */
const MAX_STEPPED_BACK: Bound = { records: 1024, bytes: 16 * 1024 * 1024 };

/** Of so many more it is known when they are due; the others come as if they had not been tried. */
const MAX_DROPPED = 100_000;
/** How far apart everything is read from the start again. */
const START_OVER_APART_MS = 1000;

interface Bound {
  readonly records: number;
  readonly bytes: number;
}

export interface Backlog {
  /** The next to send: one whose own time has come, where `mayRetry`, else the oldest. */
  take(now: number, mayRetry: boolean): { readonly record: WaitingRecord; readonly isRetry: boolean } | undefined;
  /** One to find out with whether the line is up: of those that have failed least often, the oldest and the newest in turn. */
  takeProbe(failuresOf: (recordId: number) => number): WaitingRecord | undefined;
  /** The one that `find` finds elsewhere than in a page; undefined where it finds none that may be sent. */
  takeFound(find: () => Promise<WaitingRecord | undefined>): Promise<WaitingRecord | undefined>;
  /** Back to its place among the others. Of very many the last is read again later. */
  putBack(record: WaitingRecord): void;
  /** It waits for a time of its own; monotonic. Of very many the one that has longest to wait is read again later. */
  stepBack(record: WaitingRecord, dueAt: number): void;
  /** Drops it from memory; it is read again after `expectAnywhere`. */
  leave(record: WaitingRecord): void;
  /** The same with all that may not be sent now. */
  leaveBarred(): void;
  /** Whether it was read and is not settled, wherever it is. */
  isKnown(recordId: number): boolean;
  /** Those that stepped back need not wait any longer. */
  recall(): void;
  /** When there is next something to be looked at: one that stepped back, or was passed over. Infinity when there isn't. */
  nextDueAt(): number;
  steppedBack(): number;
  /** Whether there is, or may be, a record to send besides those that stepped back. */
  hasFresh(): boolean;
  /** Whether there is one in memory. */
  hasQueued(): boolean;
  /** It is settled on disk, and would not be read again. */
  forget(recordId: number): void;
  /** There may be new records at the end. */
  expectNew(): void;
  /** There may be new records anywhere: everything is read again from the start. */
  expectAnywhere(): void;
  /** Reads a page if few are left. Resolves to whether it brought anything, or may next time. `now` is monotonic. */
  refill(now: number): Promise<boolean>;
}

/** Records that `isBarred` are left on disk. */
export function openBacklog(
  readPage: (after: number) => Promise<WaitingPage>,
  isBarred: (record: WaitingRecord) => boolean = () => false,
): Backlog {
  let queue: WaitingRecord[] = [];
  let stepped: { readonly record: WaitingRecord; readonly dueAt: number }[] = [];
  /** Everything that was read and is not settled, wherever it is, so that nothing is sent twice at once. */
  const known = new Set<number>();
  let readUpTo = 0;
  let hasMore = true;
  let hasPassedOver = false;
  /** Those that stepped back and were too many to keep, and when each is due. */
  const dropped = new Map<number, number>();
  /** When the first of them is; then they are read again, as far as they are due. */
  let rereadAt: number | undefined;
  /** Since everything was last read from the start, one was settled: what was passed over may go. */
  let isOneSettled = false;
  /** Somebody says that there may be new records anywhere. */
  let isStartOverWanted = false;
  let startedOverAt = -Infinity;
  let isReading = false;
  /** For each read that is underway, what was settled meanwhile: it may still list them. */
  const settledDuring = new Set<Set<number>>();
  let isNewestNext = false;
  /** Set back while a page was being read. */
  let wasSetBack = false;

  /** Takes a record out of what may be sent; whether it was there. */
  function remove(recordId: number): boolean {
    const before = queue.length + stepped.length;
    queue = queue.filter((record) => record.recordId !== recordId);
    stepped = stepped.filter(({ record }) => record.recordId !== recordId);
    return queue.length + stepped.length < before;
  }

  function stepBack(record: WaitingRecord, dueAt: number): void {
    stepped.push({ record, dueAt });
    while (
      stepped.length > 1 &&
      isOver(
        stepped.map((each) => each.record),
        MAX_STEPPED_BACK,
      )
    ) {
      const last = stepped.reduce((latest, each) => (each.dueAt > latest.dueAt ? each : latest));
      remove(last.record.recordId);
      known.delete(last.record.recordId);
      if (dropped.size < MAX_DROPPED) dropped.set(last.record.recordId, last.dueAt);
      rereadAt = Math.min(rereadAt ?? Infinity, last.dueAt);
    }
  }

  /** Reads with `read`, and is told which records were settled meanwhile. */
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

  /** Whether there was anything new, or may be now. */
  async function readNext(now: number): Promise<boolean> {
    wasSetBack = false;
    hasMore = false; // unless somebody says otherwise meanwhile
    const { found: page, settled } = await reading(() => readPage(readUpTo));
    let isNew = false;
    for (const record of page.records) {
      const { recordId } = record;
      const dueAt = dropped.get(recordId) ?? -Infinity;
      if (known.has(recordId) || settled.has(recordId) || dueAt > now || isBarred(record)) continue;
      isNew = true;
      known.add(recordId);
      if (dropped.delete(recordId)) stepBack(record, dueAt);
      else queue.push(record);
    }
    hasPassedOver ||= page.hasPassedOver;
    if (!wasSetBack) readUpTo = page.last;
    hasMore ||= page.hasMore;
    return isNew || hasMore;
  }

  function startOver(now: number): void {
    startedOverAt = now;
    isStartOverWanted = false;
    hasPassedOver = false;
    isOneSettled = false;
    // Those that are not due by now are looked at again in their turn.
    const later = [...dropped.values()].filter((dueAt) => dueAt > now);
    rereadAt = later.length === 0 ? undefined : later.reduce((least, dueAt) => Math.min(least, dueAt));
    readUpTo = 0;
    hasMore = true;
  }

  /** When everything is to be read from the start again; not often, because that reads all that waits. */
  function startOverAt(): number {
    const isAllRead = !hasMore && queue.length === 0;
    const isDue = isStartOverWanted || (isAllRead && hasPassedOver && isOneSettled);
    const dueAt = isDue ? -Infinity : isAllRead ? (rereadAt ?? Infinity) : Infinity;
    return Math.max(dueAt, startedOverAt + START_OVER_APART_MS);
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
    async takeFound(find) {
      const { found, settled } = await reading(find);
      if (found === undefined || settled.has(found.recordId)) return undefined;
      if (!remove(found.recordId) && known.has(found.recordId)) return undefined; // it is underway
      known.add(found.recordId);
      dropped.delete(found.recordId);
      return found;
    },
    putBack(record) {
      const at = queue.findIndex(({ recordId }) => recordId > record.recordId);
      queue.splice(at === -1 ? queue.length : at, 0, record);
      while (queue.length > 1 && isOver(queue, MAX_QUEUED)) {
        const last = queue.pop();
        if (last === undefined) return;
        known.delete(last.recordId);
        readUpTo = Math.min(readUpTo, last.recordId - 1);
        hasMore = true;
        wasSetBack = true;
      }
    },
    stepBack,
    leave: ({ recordId }) => void known.delete(recordId),
    leaveBarred() {
      for (const record of [...queue, ...stepped.map((each) => each.record)])
        if (isBarred(record)) known.delete(record.recordId);
      queue = queue.filter((record) => !isBarred(record));
      stepped = stepped.filter(({ record }) => !isBarred(record));
    },
    isKnown: (recordId) => known.has(recordId),
    recall() {
      stepped = stepped.map(({ record }) => ({ record, dueAt: -Infinity }));
      if (dropped.size > 0) rereadAt = -Infinity;
      dropped.clear();
    },
    // While a page is read nothing else is, and whoever waits is told when it is there.
    nextDueAt: () => stepped.reduce((least, { dueAt }) => Math.min(least, dueAt), isReading ? Infinity : startOverAt()),
    steppedBack: () => stepped.length + dropped.size,
    hasFresh: () => queue.length > 0 || hasMore,
    hasQueued: () => queue.length > 0,
    forget(recordId) {
      known.delete(recordId);
      isOneSettled = true;
      for (const settled of settledDuring) settled.add(recordId);
    },
    expectNew() {
      hasMore = true;
    },
    expectAnywhere() {
      hasMore = true;
      isStartOverWanted = true;
    },
    async refill(now) {
      if (isReading || isOver(queue, LOW_QUEUE)) return false;
      if (startOverAt() <= now) startOver(now);
      if (!hasMore) return false;
      isReading = true;
      try {
        return await readNext(now);
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
