// Finds the held records of a lane: all of them, or only those that the upstream rejected with status 400 at one end point.

import type { HeldAt } from '../../outbox/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { isInState } from './delivery-state.ts';

/**
 * SQL condition for a held record: the upstream rejected it with status 400 at the given end point. `@recordIds` may limit it
 * to some records.
 */
export const IS_HELD_AT = `version = @version AND type = @resource AND answer_status = 400
    AND (@recordIds IS NULL OR record_id IN (SELECT value FROM json_each(@recordIds)))`;

export function heldAtParameters({ version, resource, recordIds }: HeldAt) {
  return { version, resource, recordIds: recordIds && JSON.stringify(recordIds) };
}

/** Exported, like `HOLDS_AT_SQL`, for query-plan tests. */
export const HOLDS_SQL = `SELECT 1 FROM deliveries WHERE lane_id = @laneId AND ${isInState('held')} LIMIT 1`;
export const HOLDS_AT_SQL = `
  SELECT 1 FROM deliveries JOIN records ON records.id = record_id
  WHERE lane_id = @laneId AND ${isInState('held')} AND ${IS_HELD_AT} LIMIT 1`;

/**
 * True if the lane has at least one held record. With the kind `held at`, only a record counts that the upstream rejected with
 * status 400 at that end point.
 */
export function holdsRecords(db: Connection, laneId: number, records: { readonly kind: 'held' } | HeldAt): boolean {
  const held =
    records.kind === 'held'
      ? db.prepare(HOLDS_SQL).get({ laneId })
      : db.prepare(HOLDS_AT_SQL).get({ laneId, ...heldAtParameters(records) });
  return held !== undefined;
}
