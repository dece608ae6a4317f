// Moves one slice of an act about records: its deliveries, the counts of the lane and the report change together.

import type { CountedRecord, RecordAct } from '../../outbox/ledger.ts';
import type { Connection } from '../engine/database.ts';
import type { LaneCountWriter } from './lane-count.ts';
import type { ActStep } from './record-act-plan.ts';
import { reportMoved, type ReportedAct } from './record-act-report.ts';

export interface ActSlice {
  readonly recordIds: readonly number[];
  readonly step: ActStep;
  /** Records that the act moved before this slice. */
  readonly moved: number;
  /** Whether the act is over after this slice. */
  readonly isLast: boolean;
}

/** Exported for the test of its query plan. */
export const MOVE_SQL = `
  UPDATE deliveries SET state = @to, reason = @reason
  WHERE record_id IN (SELECT value FROM json_each(@recordIds)) AND lane_id = @laneId AND state = @from
  RETURNING (SELECT status FROM records WHERE id = record_id) AS status,
    (SELECT sold_at FROM records WHERE id = record_id) AS soldAt`;

/**
 * Moves a slice within the caller's transaction. Skips records whose state has changed since they were read. Returns the number
 * of records moved.
 */
export function moveActSlice(
  db: Connection,
  counts: LaneCountWriter,
  act: RecordAct,
  begun: ReportedAct,
  { recordIds, step: { from, to }, moved, isLast }: ActSlice,
): number {
  const move = db.prepare<unknown[], CountedRecord>(MOVE_SQL);
  const reason = act.kind === 'set aside' ? act.reason : null;
  let movedNow = 0;
  for (const state of from) {
    const records = move.all({ laneId: begun.laneId, from: state, to, reason, recordIds: JSON.stringify(recordIds) });
    for (const record of records) counts.move(begun.laneId, state, to, record);
    movedNow += records.length;
  }
  counts.write();
  reportMoved(db, begun, act, moved + movedNow, isLast);
  return movedNow;
}
