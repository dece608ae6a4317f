// Decides the order in which a search returns records. Pages and cursors depend on this order.

import type { RecordSearch } from './ledger.ts';

/**
 * True if a search returns records in the order (external_id, record). This is so in a search by the beginning of an id, and in
 * a search by the end of an id without a range of time. With a range of time, a search by the end of an id follows the order of
 * sale.
 */
export function isInOrderOfId({
  idPrefix,
  idEnd,
  from,
  to,
}: Pick<RecordSearch, 'idPrefix' | 'idEnd' | 'from' | 'to'>): boolean {
  return idPrefix !== undefined || (idEnd !== undefined && (from === undefined || to === undefined));
}
