// The report of an act about records: its entry in the log of acts, and the number of records it has moved so far.

import { assertNever } from '../../../errors.ts';
import type { LaneName, RecordAct } from '../../outbox/ledger.ts';
import { assertOneRow, type Connection } from '../engine/database.ts';
import { noteAct } from '../setup/act-log.ts';
import { findLaneId } from './lane.ts';

/** An act that is in the log. */
export interface ReportedAct {
  /** Of its entry. */
  readonly id: number;
  readonly laneId: number;
}

/** Notes an act before anything is moved. Returns undefined if there is no such lane. */
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
      return { id: noteAct(db, { ...name, act: act.kind, detail: describe(act, 0, false) }, actor, now), laneId };
    })
    .immediate();
}

/** Reports how many records an act has moved, within the caller's transaction. */
export function reportMoved(db: Connection, { id }: ReportedAct, act: RecordAct, moved: number, isOver: boolean): void {
  assertOneRow(db.prepare('UPDATE acts SET detail = ? WHERE id = ?').run(describe(act, moved, isOver), id));
}

/** What the log says of an act. */
function describe(act: RecordAct, moved: number, isOver: boolean): string {
  const number = `${moved} ${moved === 1 ? 'record' : 'records'}${isOver ? '' : ' so far'}`;
  const { records } = act;
  const about = JSON.stringify(records.kind === 'held at' ? { ...records, recordIds: undefined } : records);
  switch (act.kind) {
    case 'send again':
      return `${number}: ${about}${act.delivered ? ', delivered ones too' : ''}`;
    case 'set aside':
      return `${number}: ${about} ${act.reason}`;
    default:
      return assertNever(act);
  }
}
