// Acts about forwarding: set an upstream, pause, resume, try now, send held records again, set them aside. Each act is noted
// with its actor and time, and any process may do it. An act about a lane is one transaction. An act about records is carried
// out in slices (record-act.ts).

import { assertNever } from '../../../errors.ts';
import type { LaneName, Act, ActResult, LaneAct, RecordAct } from '../../outbox/ledger.ts';
import { digestSecret } from '../../setup/key-secret.ts';
import { assertOneRow, type Connection } from '../engine/database.ts';
import type { Seal } from '../engine/seal.ts';
import { noteAct } from '../setup/act-log.ts';
import { findLaneId } from './lane.ts';

/** Whether an act is about records and not about a lane. */
export function isAboutRecords(act: Act): act is RecordAct {
  return 'records' in act;
}

/** Carries out an act about a lane. `actor` says where the act came from, for example "command line". */
export function performLaneAct(
  db: Connection,
  name: LaneName,
  act: LaneAct,
  actor: string,
  now: number,
  seal: Seal,
): ActResult {
  return db
    .transaction((): ActResult => {
      const laneId = findLaneId(db, name);
      if (laneId === undefined) return { kind: 'unknown lane' };
      changeLane(db, laneId, act, now, seal);
      const { kind } = act;
      const noted = kind === 'set upstream' ? { kind, url: act.upstream.url } : { kind };
      noteAct(db, { ...name, act: noted }, actor, now);
      return { kind: 'done', records: 0 };
    })
    .immediate();
}

function changeLane(db: Connection, laneId: number, act: LaneAct, now: number, seal: Seal): void {
  const change = (columns: string, ...values: (string | number)[]): void =>
    assertOneRow(db.prepare(`UPDATE lanes SET ${columns} WHERE id = ?`).run(...values, laneId));
  switch (act.kind) {
    case 'set upstream':
      // `tried_at` requests an immediate attempt, which shows whether the new address and key work. The stored senders are
      // removed, because they belong to the previous upstream.
      return change(
        "url = ?, token = ?, token_digest = ?, tried_at = ?, senders = '[]', upstream_sets = upstream_sets + 1",
        act.upstream.url,
        seal.seal(act.upstream.token),
        digestSecret(act.upstream.token),
        now,
      );
    case 'pause':
      return change('paused_at = coalesce(paused_at, ?)', now);
    case 'resume':
      // A lane that no person paused waits until the upstream was asked (restore.ts). To resume it is to send without asking.
      return change(
        'asks_up_to = CASE WHEN paused_at IS NOT NULL THEN asks_up_to END, paused_at = NULL, tried_at = ?',
        now,
      );
    case 'try now':
      return change('tried_at = ?', now);
    default:
      return assertNever(act);
  }
}
