// The position up to which a lane has read its waiting records on disk. This module also decides when the lane reads them from
// the start again. Reading from the start scans all waiting records, so it happens at most once a second.

/** Minimum time between two reads from the start. */
const MIN_BETWEEN_STARTS_MS = 1000;

export interface ReadCursor {
  /** The next page begins after this id. */
  position(): number;
  /** Whether the store may hold records after the position. */
  hasMore(): boolean;
  /** Call it before a page is read. Afterwards, call `endPage` with the page. */
  beginPage(): void;
  endPage(page: { readonly last: number; readonly hasMore: boolean; readonly hasPassedOver: boolean }): void;
  /** Call it if the page could not be read, so that it is read again. */
  failPage(): void;
  /**
   * Call it when records after this id were dropped from memory, so that they are read again. May be called while a page is
   * being read.
   */
  setBack(recordId: number): void;
  /** Call it when the store may have new records after the last one that was read. */
  expectMore(): void;
  /** Call it when older records may wait again. The lane then reads from the start, but at most once a second. */
  expectAnywhere(): void;
  /**
   * Call it when a record has its final outcome. The store may have passed over other records that had to wait for this record.
   * These records may be sent now.
   */
  noteSettled(): void;
  /**
   * The next time to read from the start. Infinity means never. `isEmpty`: no record is in the queue. `rereadAt`: the time when
   * the first record that did not fit into memory is due.
   */
  startOverAt(isEmpty: boolean, rereadAt: number): number;
  startOver(now: number): void;
}

export function openReadCursor(): ReadCursor {
  let position = 0;
  let hasMore = true;
  /** Whether `setBack` was called while a page was read. */
  let wasSetBack = false;
  /** True if the store has passed over records that must wait for other records, since the last reading from the start. */
  let hasPassedOver = false;
  /** Whether any record got its final outcome since the last reading from the start. */
  let hasSettled = false;
  let isStartOverWanted = false;
  let startedOverAt = -Infinity;

  return {
    position: () => position,
    hasMore: () => hasMore,
    beginPage() {
      wasSetBack = false;
      hasMore = false; // set before the read, so that `expectMore` during the read is not lost
    },
    endPage(page) {
      hasPassedOver ||= page.hasPassedOver;
      if (!wasSetBack) position = page.last;
      hasMore ||= page.hasMore;
    },
    failPage() {
      hasMore = true;
    },
    setBack(recordId) {
      position = Math.min(position, recordId);
      hasMore = true;
      wasSetBack = true;
    },
    expectMore() {
      hasMore = true;
    },
    expectAnywhere() {
      hasMore = true;
      isStartOverWanted = true;
    },
    noteSettled() {
      hasSettled = true;
    },
    startOverAt(isEmpty, rereadAt) {
      const isAllRead = !hasMore && isEmpty;
      const isDue = isStartOverWanted || (isAllRead && hasPassedOver && hasSettled);
      const dueAt = isDue ? -Infinity : isAllRead ? rereadAt : Infinity;
      return Math.max(dueAt, startedOverAt + MIN_BETWEEN_STARTS_MS);
    },
    startOver(now) {
      startedOverAt = now;
      isStartOverWanted = false;
      hasPassedOver = false;
      hasSettled = false;
      position = 0;
      hasMore = true;
    },
  };
}
