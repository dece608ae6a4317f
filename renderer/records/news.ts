// What has happened to a list of records since it was asked for, told by its first page as it is now. Pure.

import type { RecordPage } from '../../server/contract/records.ts';

export interface News {
  /** How many have come; 0 when only others have gone or changed places. */
  readonly arrived: number;
  /** Whether there may be more than that. */
  readonly isMore: boolean;
}

/**
 * Undefined while the list is still as it was, but for what its records say. A page may end sooner or later than the one
 * before, because a search that takes long stops where it is; that is no news.
 */
export function newsOf(shown: RecordPage, fresh: RecordPage): News | undefined {
  const shownIds = shown.records.map(({ recordId }) => recordId);
  const freshIds = fresh.records.map(({ recordId }) => recordId);
  // What comes after the last that both have may well be on the page after the one that is shown.
  const known = new Set(shownIds);
  const lastKnown = freshIds.findLastIndex((id) => known.has(id));
  const isAllComparable = lastKnown === -1 || shown.next === null;
  const newest = Math.max(0, ...shownIds);
  const arrived = (isAllComparable ? freshIds : freshIds.slice(0, lastKnown)).filter((id) => id > newest).length;
  // They may be further down, as in the order of ids; then only the totals tell.
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
