// What people do about forwarding: set an upstream, pause, resume, try now, send held records again, set them aside. Each
// act is one transaction that also notes who did what and when, and any process may do it.

import type { DeliveryState } from '../contract.ts';
import { assertNever } from '../errors.ts';
import { assertOneRow, type Connection } from './database.ts';
import { openLaneCountWriter } from './lane-count.ts';
import { findLane, type LaneName, type Upstream } from './lane.ts';

/** Which records of a lane: one, those sold in a range of epoch seconds, or all that the act can be about. */
export type RecordChoice =
  | { readonly kind: 'one'; readonly recordId: number }
  | { readonly kind: 'sold'; readonly from: number; readonly to: number }
  | { readonly kind: 'all' };

export type Act =
  | { readonly kind: 'set upstream'; readonly upstream: Upstream }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'try now' }
  /** Held and set-aside records wait again; with `delivered`, delivered ones too. */
  | { readonly kind: 'send again'; readonly records: RecordChoice; readonly delivered: boolean }
  /** Held records are kept and not sent; the reason is required. */
  | { readonly kind: 'set aside'; readonly records: RecordChoice; readonly reason: string };

export type ActResult =
  /** `records` is how many an act about records was about. */
  { readonly kind: 'done'; readonly records: number } | { readonly kind: 'unknown lane' };

/** An entry of the log of acts; `detail` never holds a token. */
export interface ListedAct extends LaneName {
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly actor: string;
  readonly act: string;
  readonly detail: string;
}

/** Does an act. `actor` says where it came from, as "command line". */
export function performAct(db: Connection, lane: LaneName, act: Act, actor: string, now: number): ActResult {
  return db
    .transaction((): ActResult => {
      const laneId = findLane(db, lane);
      if (laneId === undefined) return { kind: 'unknown lane' };
      const { records, detail } = perform(db, laneId, act, now);
      db.prepare('INSERT INTO acts (at, actor, lane_id, act, detail) VALUES (?, ?, ?, ?, ?)').run(
        now,
        actor,
        laneId,
        act.kind,
        detail,
      );
      return { kind: 'done', records };
    })
    .immediate();
}

function perform(db: Connection, laneId: number, act: Act, now: number): { records: number; detail: string } {
  switch (act.kind) {
    case 'set upstream':
      // Whoever changes the address or the key wants to see that it works.
      assertOneRow(
        db
          .prepare('UPDATE lanes SET url = ?, token = ?, tried_at = ? WHERE id = ?')
          .run(act.upstream.url, act.upstream.token, now, laneId),
      );
      return { records: 0, detail: act.upstream.url };
    case 'pause':
      assertOneRow(db.prepare('UPDATE lanes SET paused_at = coalesce(paused_at, ?) WHERE id = ?').run(now, laneId));
      return { records: 0, detail: '' };
    case 'resume':
      assertOneRow(db.prepare('UPDATE lanes SET paused_at = NULL, tried_at = ? WHERE id = ?').run(now, laneId));
      return { records: 0, detail: '' };
    case 'try now':
      assertOneRow(db.prepare('UPDATE lanes SET tried_at = ? WHERE id = ?').run(now, laneId));
      return { records: 0, detail: '' };
    case 'send again': {
      const from = act.delivered ? (['held', 'set aside', 'delivered'] as const) : (['held', 'set aside'] as const);
      const records = from.map((state) => move(db, laneId, state, 'waiting', act.records, null));
      return {
        records: records.reduce((sum, each) => sum + each, 0),
        detail: `${JSON.stringify(act.records)}${act.delivered ? ', delivered ones too' : ''}`,
      };
    }
    case 'set aside': {
      const records = move(db, laneId, 'held', 'set aside', act.records, act.reason);
      if (records > 0) setDuplicatesAside(db, laneId, act.reason);
      return { records, detail: `${JSON.stringify(act.records)} ${act.reason}` };
    }
    default:
      return assertNever(act);
  }
}

/** Moves deliveries of a lane from one state to another and returns how many. */
function move(
  db: Connection,
  laneId: number,
  from: DeliveryState,
  to: DeliveryState,
  choice: RecordChoice,
  reason: string | null,
): number {
  const { changes } = db
    .prepare(`
    UPDATE deliveries SET state = @to, reason = @reason
    WHERE lane_id = @laneId AND state = @from AND ${CHOICE_SQL[choice.kind]}`)
    .run({
      laneId,
      from,
      to,
      reason,
      ...('recordId' in choice && { recordId: choice.recordId }),
      ...('to' in choice && { soldFrom: choice.from, soldTo: choice.to }),
    });
  countMoved(db, laneId, from, to, changes);
  return changes;
}

/** A duplicate that waits for an original which is not to go would wait for ever, and without it be the original upstream. */
function setDuplicatesAside(db: Connection, laneId: number, reason: string): void {
  const forwardsDuplicates = db
    .prepare(`
    SELECT forwarded != '["NEW"]' FROM lanes JOIN journals ON journals.id = journal_id
    JOIN administrations ON administrations.id = administration_id WHERE lanes.id = ?`)
    .pluck()
    .get(laneId);
  if (forwardsDuplicates !== 1) return;
  const { changes } = db
    .prepare(`
    UPDATE deliveries SET state = 'set aside', reason = @reason
    WHERE lane_id = @laneId AND state = 'waiting' AND (
      SELECT originals.state = 'set aside' FROM records JOIN deliveries AS originals ON originals.record_id = original_id
      WHERE records.id = deliveries.record_id)`)
    .run({ laneId, reason });
  countMoved(db, laneId, 'waiting', 'set aside', changes);
}

function countMoved(db: Connection, laneId: number, from: DeliveryState, to: DeliveryState, records: number): void {
  const counts = openLaneCountWriter(db);
  counts.move(laneId, from, to, records);
  counts.write();
}

const CHOICE_SQL: Record<RecordChoice['kind'], string> = {
  one: 'record_id = @recordId',
  sold: '(SELECT sold_at >= @soldFrom AND sold_at < @soldTo FROM records WHERE id = record_id)',
  all: 'true',
};

/** Lists acts, newest first. */
export function listActs(db: Connection, limit: number): ListedAct[] {
  return db
    .prepare(`
    SELECT acts.id, at, actor, act, administrations.name AS administration, mode, interface, detail
    FROM acts JOIN lanes ON lanes.id = lane_id JOIN journals ON journals.id = lanes.journal_id
    JOIN administrations ON administrations.id = administration_id
    ORDER BY acts.id DESC LIMIT ?`)
    .all(limit) as ListedAct[];
}
