// Outages: when a lane with an upstream was not running, and why. An outage begins when the lane reports a state other than
// running, and ends with the next report of another state. A report of another cause only replaces the cause. An outage
// continues while the gateway is stopped, because a stopped gateway reports nothing.

import { formatCause, parseCause } from '../../../cause.ts';
import type { Outage } from '../../../contract/lanes.ts';
import type { Range } from '../../records/ledger.ts';
import { assertOneRow, type Connection } from '../engine/database.ts';

interface OpenOutage extends Pick<Outage, 'state'> {
  readonly id: number;
  readonly cause: string | null;
}

/**
 * Stores what a lane reports, within the caller's transaction. `matter` is its state and cause; undefined while the lane runs
 * or has no upstream. `since` is in epoch milliseconds. Reporting the same again changes nothing.
 */
export function noteOutage(
  db: Connection,
  laneId: number,
  matter: Pick<Outage, 'state' | 'cause'> | undefined,
  since: number,
): void {
  const cause = matter?.cause ? formatCause(matter.cause) : null;
  const open = db
    .prepare<[number], OpenOutage>('SELECT id, state, cause FROM outages WHERE lane_id = ? AND to_at IS NULL')
    .get(laneId);
  if (open !== undefined && open.state === matter?.state) {
    if (open.cause !== cause) assertOneRow(db.prepare('UPDATE outages SET cause = ? WHERE id = ?').run(cause, open.id));
    return;
  }
  // The clock may have been set back, and an outage cannot end before it begins.
  if (open !== undefined)
    assertOneRow(db.prepare('UPDATE outages SET to_at = max(from_at, ?) WHERE id = ?').run(since, open.id));
  if (matter === undefined) return;
  db.prepare('INSERT INTO outages (lane_id, state, cause, from_at) VALUES (?, ?, ?, ?)').run(
    laneId,
    matter.state,
    cause,
    since,
  );
}

/** Exported for the test that asserts the query plan. */
export const OUTAGES_SQL = `
  SELECT outages.lane_id AS laneId, outages.state, outages.cause, from_at AS "from", to_at AS "to"
  FROM lanes JOIN outages ON outages.lane_id = lanes.id
  WHERE journal_id = @journalId AND from_at < @to * 1000 AND (to_at IS NULL OR to_at > @from * 1000)
  ORDER BY from_at, outages.id`;

/** Returns a reader of the outages of a journal's lanes that overlap a range, in order of time. */
export function openOutageReader(db: Connection): (journalId: number, range: Range) => Outage[] {
  const select = db.prepare<unknown[], Omit<Outage, 'cause'> & Pick<OpenOutage, 'cause'>>(OUTAGES_SQL);
  return (journalId, range) =>
    select.all({ journalId, ...range }).map((outage) => ({ ...outage, cause: parseCause(outage.cause) }));
}
