// The order of a search of records. Its pages and cursors depend on it.

import type { RecordSearch } from './ledger.ts';

/**
 * Whether a search is in the order (external_id, record): for the beginning of an id, and for its end. Within a range of time, the
 * end of an id is looked for in the order of sale.
 */
export function isInOrderOfId({
  idPrefix,
  idEnd,
  from,
  to,
}: Pick<RecordSearch, 'idPrefix' | 'idEnd' | 'from' | 'to'>): boolean {
  return idPrefix !== undefined || (idEnd !== undefined && (from === undefined || to === undefined));
}
