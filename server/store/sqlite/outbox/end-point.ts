// Stores the known state of a lane's end points on the earlier interface. After a restart, the lane then does not try a refused
// end point with every record again.

import type { EndPoint, EndPointNote, WaitingChoice } from '../../outbox/ledger.ts';
import { type Connection } from '../engine/database.ts';

export const ALL_WAITING: WaitingChoice = { except: [] };

export function isSameEndPoint(one: EndPoint, other: EndPoint): boolean {
  return one.resource === other.resource && one.version === other.version;
}

interface Row extends EndPoint {
  readonly hasPassed: 0 | 1;
  readonly isRefused: 0 | 1;
  readonly refusedInARow: string;
}

export function listEndPoints(db: Connection, laneId: number): EndPointNote[] {
  return db
    .prepare<[number], Row>(`
    SELECT version, resource, has_passed AS hasPassed, is_refused AS isRefused, refused_in_a_row AS refusedInARow
    FROM end_points WHERE lane_id = ? ORDER BY version, resource`)
    .all(laneId)
    .map(({ hasPassed, isRefused, refusedInARow, ...endPoint }) => ({
      ...endPoint,
      hasPassed: hasPassed === 1,
      isRefused: isRefused === 1,
      refusedInARow: JSON.parse(refusedInARow) as number[],
    }));
}

/** Replaces the stored state of an end point. */
export function noteEndPoint(
  db: Connection,
  laneId: number,
  { version, resource, hasPassed, isRefused, refusedInARow }: EndPointNote,
): void {
  db.prepare(`
    INSERT INTO end_points (lane_id, version, resource, has_passed, is_refused, refused_in_a_row) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET has_passed = excluded.has_passed, is_refused = excluded.is_refused,
      refused_in_a_row = excluded.refused_in_a_row`).run(
    laneId,
    version,
    resource,
    Number(hasPassed),
    Number(isRefused),
    JSON.stringify(refusedInARow),
  );
}

/** Deletes the stored state of all end points of a lane, because its upstream has changed. */
export function forgetEndPoints(db: Connection, laneId: number): void {
  db.prepare('DELETE FROM end_points WHERE lane_id = ?').run(laneId);
}
