// Decides the order in which a search returns records. Pages and cursors depend on this order.

import type { RecordSearch } from './ledger.ts';

/**
 * Whether a search returns records in the order (external_id, record). It does so for the beginning of an id, and for the end
 * of an id without a range of time. With a range of time, a search for the end follows the order of sale.
 */
export function isInOrderOfId({
  idPrefix,
  idEnd,
  from,
  to,
}: Pick<RecordSearch, 'idPrefix' | 'idEnd' | 'from' | 'to'>): boolean {
  return idPrefix !== undefined || (idEnd !== undefined && (from === undefined || to === undefined));
}
