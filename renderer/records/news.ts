// What has happened to a list of records since it was asked for, told by its first page as it is now. Pure.

import type { RecordPage } from '../../server/contract.ts';

export interface News {
  /** How many have come; 0 when only others have gone or changed places. */
  readonly arrived: number;
  /** Whether there may be more than that. */
  readonly isMore: boolean;
}

/** Undefined while the list is still as it was, but for what its records say. */
export function newsOf(shown: RecordPage, fresh: RecordPage): News | undefined {
  const newestShown = Math.max(0, ...shown.records.map(({ recordId }) => recordId));
  const arrived = fresh.records.filter(({ recordId }) => recordId > newestShown).length;
  // They may be further down, as in the order of ids; then only the totals tell.
  const more = shown.total === null || fresh.total === null ? 0 : fresh.total - shown.total;
  if (Math.max(arrived, more) > 0) {
    const isMore = more <= arrived && arrived === fresh.records.length && fresh.next !== null;
    return { arrived: Math.max(arrived, more), isMore };
  }
  const isSame = fresh.records.every(({ recordId }, i) => recordId === shown.records[i]?.recordId);
  return isSame && fresh.records.length === shown.records.length ? undefined : { arrived: 0, isMore: false };
}
