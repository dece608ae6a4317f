// The report of an act about records: its entry in the log of acts, and the number of records it has moved so far.

import type { NotedAct } from '../../../contract/acts.ts';
import { assertNever } from '../../../errors.ts';
import type { LaneName, RecordAct } from '../../outbox/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { noteAct, updateAct } from '../setup/act-log.ts';
import { findLaneId } from './lane.ts';

/** An act that is in the log. */
export interface ReportedAct {
  /** The id of its entry. */
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
      return { id: noteAct(db, { ...name, act: notedAct(act, 0, false) }, actor, now), laneId };
    })
    .immediate();
}

/** Reports how many records an act has moved, within the caller's transaction. */
export function reportMoved(db: Connection, { id }: ReportedAct, act: RecordAct, moved: number, isOver: boolean): void {
  updateAct(db, id, notedAct(act, moved, isOver));
}

/** The act for the log. Leaves out the ids of records held at an end point, which may be many. */
function notedAct(act: RecordAct, moved: number, isOver: boolean): NotedAct {
  const { kind } = act;
  const records =
    act.records.kind === 'held at'
      ? { kind: act.records.kind, version: act.records.version, resource: act.records.resource }
      : act.records;
  switch (kind) {
    case 'send again':
      return { kind, records, delivered: act.delivered, moved, isOver };
    case 'set aside':
      return { kind, records, reason: act.reason, moved, isOver };
    default:
      return assertNever(kind);
  }
}
