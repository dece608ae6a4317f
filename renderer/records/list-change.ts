// Finds out how a list of records has changed since it was loaded, by comparing it with the current first page. Pure.

import type { RecordPage } from '../../server/contract/records.ts';

export interface ListChange {
  /** The number of new records; 0 if records only left or moved. */
  readonly arrived: number;
  /** Whether there may be more new records than `arrived`. */
  readonly isMore: boolean;
}

/**
 * How the list has changed since it was loaded; undefined if it holds the same records in the same order. A page may end
 * earlier or later than before, because a slow search stops early. That is not a change.
 */
export function findListChange(shown: RecordPage, fresh: RecordPage): ListChange | undefined {
  const shownIds = shown.records.map(({ recordId }) => recordId);
  const freshIds = fresh.records.map(({ recordId }) => recordId);
  // Fresh records after the last record that is in both lists are not compared: they may be on the next page of the shown list.
  const known = new Set(shownIds);
  const lastKnown = freshIds.findLastIndex((id) => known.has(id));
  const isAllComparable = lastKnown === -1 || shown.next === null;
  const newest = Math.max(0, ...shownIds);
  const arrived = (isAllComparable ? freshIds : freshIds.slice(0, lastKnown)).filter((id) => id > newest).length;
  // In a list ordered by id, new records may be on later pages. Only the totals reveal them.
  const more = shown.total === null || fresh.total === null ? 0 : fresh.total - shown.total;
  if (Math.max(arrived, more) > 0) {
    const isMore = more <= arrived && arrived === freshIds.length && fresh.next !== null;
    return { arrived: Math.max(arrived, more), isMore };
  }
  return isSameAsFarAsKnown(shownIds, shown.next, freshIds, fresh.next) ? undefined : { arrived: 0, isMore: false };
}

function isSameAsFarAsKnown(
  shown: readonly number[],
  shownNext: string | null,
  fresh: readonly number[],
  freshNext: string | null,
): boolean {
  const length = Math.min(shown.length, fresh.length);
  if (fresh.length < shown.length && freshNext === null) return false;
  if (fresh.length > shown.length && shownNext === null) return false;
  return shown.slice(0, length).every((id, i) => id === fresh[i]);
}
