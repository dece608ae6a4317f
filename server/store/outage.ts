// Outages: when a lane was not running, and why. One begins when the lane says so and ends when it says something else; a
// gateway that stopped in between has said nothing, so it goes on.

import type { LaneState, OutageView } from '../contract.ts';
import type { Range } from './count.ts';
import type { Connection } from './database.ts';

/** What a lane says of itself. */
interface Said {
  readonly state: LaneState;
  readonly cause: string | null;
  /** Epoch milliseconds. */
  readonly since: number;
}

interface OpenOutage {
  readonly id: number;
  readonly state: OutageView['state'];
  readonly cause: string | null;
}

/** Takes in what a lane says, within the caller's transaction. Saying the same again changes nothing. */
export function noteOutage(db: Connection, laneId: number, { state, cause, since }: Said): void {
  const open = db
    .prepare<[number], OpenOutage>('SELECT id, state, cause FROM outages WHERE lane_id = ? AND to_at IS NULL')
    .get(laneId);
  if (open?.state === state) {
    if (open.cause !== cause) db.prepare('UPDATE outages SET cause = ? WHERE id = ?').run(cause, open.id);
    return;
  }
  // The clock may have been set back meanwhile.
  if (open !== undefined) db.prepare('UPDATE outages SET to_at = max(from_at, ?) WHERE id = ?').run(since, open.id);
  if (state === 'running') return;
  db.prepare('INSERT INTO outages (lane_id, state, cause, from_at) VALUES (?, ?, ?, ?)').run(
    laneId,
    state,
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

/** Lists the outages of a journal's lanes that touch a range, in the order they began. */
export function openOutageReader(db: Connection): (journalId: number, range: Range) => OutageView[] {
  const select = db.prepare<unknown[], OutageView>(OUTAGES_SQL);
  return (journalId, range) => select.all({ journalId, ...range });
}
