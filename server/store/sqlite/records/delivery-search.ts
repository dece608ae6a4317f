// Searches among waiting, held or set-aside records. If these are few, reading all of them is faster than searching in the
// order of the list.

import type { DeliveryState } from '../../../contract/codes.ts';
import type { SearchFilter } from '../../records/ledger.ts';
import { type Connection, openStatements } from '../engine/database.ts';
import { isInState } from '../outbox/delivery-state.ts';
import { afterPrefix } from './id-search.ts';
import { type Condition, matchSql, parametersOf } from './sale-search.ts';

export interface FewRecord {
  readonly recordId: number;
  /** Epoch seconds. */
  readonly soldAt: number;
  readonly externalId: string;
}

/** Exported, like `fewSql`, for query-plan tests. */
export const COUNT_STATE_SQL = `
  SELECT sum(CASE @delivery WHEN 'waiting' THEN waiting WHEN 'held' THEN held WHEN 'set aside' THEN set_aside ELSE delivered END)
  FROM lanes WHERE journal_id = @journalId AND (@interface IS NULL OR interface = @interface)`;

/** SQL that lists the deliveries in the state `state` that match a filter. Each of these states has its own index. */
export function fewSql(state: Exclude<DeliveryState, 'delivered'>, conditions: readonly Condition[] = []): string {
  return `
  SELECT record_id AS recordId, sold_at AS soldAt, external_id AS externalId
  FROM lanes CROSS JOIN deliveries ON lane_id = lanes.id CROSS JOIN records ON records.id = record_id
  WHERE lanes.journal_id = @journalId AND (@interface IS NULL OR lanes.interface = @interface)
    AND ${isInState(state)}
    AND (@status IS NULL OR status = @status) AND (@type IS NULL OR type = @type)
    AND (@from IS NULL OR sold_at >= @from) AND (@to IS NULL OR sold_at < @to)
    AND (@prefix IS NULL OR (external_id >= @prefix AND external_id < @end))
    AND ${matchSql(conditions)}
    AND (@tillId IS NULL OR (SELECT till_id FROM keys WHERE keys.id = key_id) = @tillId)`;
}

/** Lists all records that match a filter, unordered. Undefined if more than `few` deliveries would be read. */
export function openFewReader(
  db: Connection,
  few: number,
): (filter: SearchFilter, prefix: string | undefined) => FewRecord[] | undefined {
  const countState = db.prepare<unknown[], number | null>(COUNT_STATE_SQL).pluck();
  const prepare = openStatements(db);
  return (filter, prefix) => {
    const { journalId, interface: by = null, delivery, status = null, type = null } = filter;
    const { tillId = null, from = null, to = null } = filter;
    if (delivery === undefined || delivery === 'delivered') return undefined;
    if ((countState.get({ journalId, interface: by, delivery }) ?? 0) > few) return undefined;
    const end = prefix === undefined ? null : afterPrefix(prefix);
    const scope = { interface: by, status, type, tillId, from, to, prefix: prefix ?? null, end };
    const conditions = (['idEnd', 'amount'] as const).filter((name) => filter[name] !== undefined);
    return prepare<FewRecord>(fewSql(delivery, conditions)).all({ ...parametersOf(filter), ...scope });
  };
}
