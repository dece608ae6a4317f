// Writes an act about records. First adds its entry to the log of acts, then moves the deliveries slice by slice. Each slice
// changes deliveries, the counts of the lane and the number of records moved in one transaction.

import type { NotedAct, NotedRecords } from '../../../contract/acts.ts';
import type { CountedRecord, LaneName, RecordAct } from '../../outbox/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { noteAct, updateAct } from '../setup/act-log.ts';
import { stateNumber } from './delivery-state.ts';
import type { LaneCountWriter } from './lane-count.ts';
import { findLaneId } from './lane.ts';
import type { ActStep } from './record-act-plan.ts';

/** An act that already has an entry in the log of acts. */
export interface ReportedAct {
  /** The id of its entry in the log of acts. */
  readonly id: number;
  readonly laneId: number;
}

export interface ActSlice {
  readonly recordIds: readonly number[];
  readonly step: ActStep;
  /** Records that the act moved before this slice. */
  readonly moved: number;
  /** Whether the act is over after this slice. */
  readonly isLast: boolean;
}

/** Notes an act before anything is moved. Returns undefined if the lane does not exist. */
export function beginRecordAct(
  db: Connection,
  name: LaneName,
  act: RecordAct,
  actor: string,
  now: number,
): ReportedAct | undefined {
  return db
    .transaction(() => {
      const laneId = findLaneId(db, name);
      if (laneId === undefined) return undefined;
      return { id: noteAct(db, { ...name, act: notedAct(act, 0, false) }, actor, now), laneId };
    })
    .immediate();
}

/** Exported for the test of its query plan. */
export const MOVE_SQL = `
  UPDATE deliveries SET state_number = @to, reason = @reason
  WHERE record_id IN (SELECT value FROM json_each(@recordIds)) AND lane_id = @laneId AND state_number = @from
  RETURNING (SELECT status FROM records WHERE id = record_id) AS status,
    (SELECT sold_at FROM records WHERE id = record_id) AS soldAt`;

/**
 * Moves the deliveries of a slice to their new state, within the caller's transaction. Skips records whose state has changed
 * since they were read. Returns the number of records moved. The caller must call `counts.write()`.
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
    const records = move.all({
      laneId: begun.laneId,
      from: stateNumber(state),
      to: stateNumber(to),
      reason,
      recordIds: JSON.stringify(recordIds),
    });
    for (const record of records) counts.move(begun.laneId, state, to, record);
    movedNow += records.length;
  }
  updateAct(db, begun.id, notedAct(act, moved + movedNow, isLast));
  return movedNow;
}

function notedAct(act: RecordAct, moved: number, isOver: boolean): NotedAct {
  return { ...act, records: notedRecords(act.records), moved, isOver };
}

/** Returns the records of an act as the log of acts stores them. For `held at`, it leaves out the ids, which may be many. */
function notedRecords(records: RecordAct['records']): NotedRecords {
  if (records.kind !== 'held at') return records;
  const { kind, version, resource } = records;
  return { kind, version, resource };
}
