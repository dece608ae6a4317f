// Acts about records. A million deliveries in one transaction would keep tills waiting for seconds, so they are moved in
// slices: a page of records that the act is about is read without the lock that tills need, then moved in a transaction of
// its own with the lane's counts and the number in the log of acts. An act that is cut off leaves slices that are whole and
// a log that says how many records it has moved "so far"; doing it again does the rest.

import type { NotedAct } from '../../../contract/acts.ts';
import type { DeliveryState, Interface } from '../../../contract/codes.ts';
import { assertNever } from '../../../errors.ts';
import type { HeldAt, RecordAct, CountedRecord, LaneName } from '../../outbox/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { DAY } from '../records/count.ts';
import { noteAct, updateAct } from '../setup/act-log.ts';
import type { LaneCountWriter } from './lane-count.ts';
import { findLaneId } from './lane.ts';

/** How many deliveries are looked at for a slice: so that one is written in less than 30 ms on a small machine. */
const SLICE = 2000;

/** An act that is noted and has moved nothing yet. */
export interface BegunAct {
  readonly id: number;
  readonly laneId: number;
}

/** A part of an act: the deliveries in one of the states `from`, with ids above `after` and up to `last`, that are `chosen`. */
export interface ActStep extends IdRange {
  readonly from: readonly DeliveryState[];
  readonly to: DeliveryState;
  readonly chosen: Chosen;
}

interface IdRange {
  readonly after: number;
  readonly last: number;
}

/** `sold` is a range of epoch seconds; `missing` are those that a verdict found missing upstream; `held at` are those that drew 400 at an end point; `orphans` are duplicates of records that are set aside. */
type Chosen =
  | { readonly kind: 'every' }
  | { readonly kind: 'some'; readonly recordIds: readonly number[] }
  | { readonly kind: 'sold'; readonly from: number; readonly to: number }
  | { readonly kind: 'missing'; readonly verdictId: number }
  | HeldAt
  | { readonly kind: 'orphans' };

export interface ActPage {
  readonly recordIds: readonly number[];
  /** The last delivery that was looked at: the next page begins after it. */
  readonly last: number;
  readonly hasMore: boolean;
}

export interface ActSlice {
  readonly recordIds: readonly number[];
  readonly step: ActStep;
  /** How many the act has moved before. */
  readonly moved: number;
  /** Whether this is the last one. */
  readonly isLast: boolean;
}

/** Notes an act, before anything is moved. Returns undefined when there is no such lane. */
export function beginRecordAct(
  db: Connection,
  name: LaneName,
  act: RecordAct,
  actor: string,
  now: number,
): BegunAct | undefined {
  return db
    .transaction(() => {
      const laneId = findLaneId(db, name);
      if (laneId === undefined) return undefined;
      return { id: noteAct(db, { ...name, act: notedAct(act, 0, false) }, actor, now), laneId };
    })
    .immediate();
}

/**
 * What an act comes down to. It is about the records there are now, not about those that come while it goes on; only the
 * duplicates of what is set aside are sought to the end.
 */
export function planRecordAct(db: Connection, laneId: number, act: RecordAct): ActStep[] {
  const { records } = act;
  const isEvery = records.kind === 'one' || records.kind === 'held' || records.kind === 'all';
  const chosen: Chosen = isEvery ? { kind: 'every' } : records;
  const range = rangeOf(db, laneId, act);
  switch (act.kind) {
    case 'send again':
      return [{ from: statesToSendAgain(act), to: 'waiting', chosen, ...range }];
    case 'set aside':
      return [
        { from: ['held'], to: 'set aside', chosen, ...range },
        // A duplicate that waits for an original which is not to go would wait for ever, and without it be the original upstream.
        { from: ['waiting'], to: 'set aside', chosen: { kind: 'orphans' }, after: 0, last: Number.MAX_SAFE_INTEGER },
      ];
    default:
      return assertNever(act);
  }
}

function statesToSendAgain({ records, delivered }: Extract<RecordAct, { kind: 'send again' }>): DeliveryState[] {
  if (records.kind === 'held' || records.kind === 'held at') return ['held'];
  if (records.kind === 'missing') return ['delivered']; // why others are not there is known
  return delivered ? ['held', 'set aside', 'delivered'] : ['held', 'set aside'];
}

/** The ids among which the records of an act are. Those sold in a range lie close together, and an index knows where. */
function rangeOf(db: Connection, laneId: number, { records }: RecordAct): IdRange {
  if (records.kind === 'one') return { after: records.recordId - 1, last: records.recordId };
  if (records.kind === 'some') {
    return { after: Math.min(...records.recordIds) - 1, last: Math.max(0, ...records.recordIds) };
  }
  if (records.kind === 'missing') return db.prepare(MISSING_RANGE_SQL).get({ verdictId: records.verdictId }) as IdRange;
  const isIndexed = records.kind === 'sold' && interfaceOf(db, laneId) === 'current' && !hasDuplicates(db, laneId);
  return isIndexed
    ? (db.prepare(SOLD_RANGE_SQL).get({ laneId, from: records.from, to: records.to }) as IdRange)
    : (db.prepare('SELECT 0 AS after, coalesce(max(id), 0) AS last FROM records').get() as IdRange);
}

/** The index has the NEW records of the current interface. Exported for the tests that assert the query plans, as is all SQL here. */
export const SOLD_RANGE_SQL = `
  SELECT coalesce(min(id), 1) - 1 AS after, coalesce(max(id), 0) AS last FROM records INDEXED BY originals_by_sale
  WHERE journal_id = (SELECT journal_id FROM lanes WHERE id = @laneId) AND status = 'NEW' AND interface = 'current'
    AND sold_at >= @from AND sold_at < @to`;

const MISSING_RANGE_SQL = `
  SELECT coalesce(min(record_id), 1) - 1 AS after, coalesce(max(record_id), 0) AS last FROM findings
  WHERE verdict_id = @verdictId AND kind = 'missing upstream'`;

function interfaceOf(db: Connection, laneId: number): Interface {
  return db.prepare('SELECT interface FROM lanes WHERE id = ?').pluck().get(laneId) as Interface;
}

/** Every NEW record is forwarded; so a lane that has more deliveries than there are NEW records has duplicates. */
export const HAS_DUPLICATES_SQL = `
  SELECT waiting + delivered + held + set_aside != (
    SELECT coalesce(sum(records), 0) FROM counts
    WHERE counts.journal_id = lanes.journal_id AND counts.interface = lanes.interface AND status = 'NEW' AND width = ${DAY}
  ) FROM lanes WHERE id = ?`;

function hasDuplicates(db: Connection, laneId: number): boolean {
  return db.prepare(HAS_DUPLICATES_SQL).pluck().get(laneId) === 1;
}

/** Of a record and its delivery. */
const IS_HELD_AT = `version = @version AND type = @resource AND answer_status = 400
    AND (@recordIds IS NULL OR record_id IN (SELECT value FROM json_each(@recordIds)))`;

const IS_CHOSEN: Record<Chosen['kind'], string> = {
  every: '1',
  some: 'record_id IN (SELECT value FROM json_each(@recordIds))',
  sold: '(SELECT sold_at >= @from AND sold_at < @to FROM records WHERE id = record_id)',
  missing: `record_id IN (
    SELECT record_id FROM findings WHERE verdict_id = @verdictId AND kind = 'missing upstream')`,
  'held at': `EXISTS (
    SELECT 1 FROM records JOIN deliveries AS refused ON refused.record_id = records.id
    WHERE records.id = looked.record_id AND ${IS_HELD_AT})`,
  orphans: `EXISTS (
    SELECT 1 FROM records JOIN deliveries AS originals ON originals.record_id = original_id
    WHERE records.id = looked.record_id AND originals.state = 'set aside')`,
};

/** Each state has its own index, except for `delivered`, which is most of them: there the ids are gone through. */
export function actPageSql(from: readonly DeliveryState[], chosen: Chosen['kind']): string {
  const ofStates = from.map(
    (state) => `
    SELECT record_id FROM deliveries WHERE lane_id = @laneId AND state = '${state}' AND record_id > @after AND record_id <= @last`,
  );
  return `
  SELECT record_id AS recordId, ${IS_CHOSEN[chosen]} AS isChosen
  FROM (${ofStates.join(' UNION ALL ')} ORDER BY record_id LIMIT ${SLICE}) AS looked`;
}

/** Reads which records the next slice of an act is about, among as many deliveries as are looked at for one. */
export function readActPage(db: Connection, laneId: number, { from, chosen, last }: ActStep, after: number): ActPage {
  if (chosen.kind === 'orphans' && !hasDuplicates(db, laneId)) return { recordIds: [], last, hasMore: false };
  const looked = db
    .prepare<unknown[], { recordId: number; isChosen: 0 | 1 }>(actPageSql(from, chosen.kind))
    .all({ laneId, after, last, ...parametersOf(chosen) });
  return {
    recordIds: looked.filter(({ isChosen }) => isChosen === 1).map(({ recordId }) => recordId),
    last: looked.reduce((greatest, { recordId }) => Math.max(greatest, recordId), after),
    hasMore: looked.length === SLICE,
  };
}

/** Exported for the test that asserts the query plan, as the next. */
export const HOLDS_SQL = `SELECT 1 FROM deliveries WHERE lane_id = @laneId AND state = 'held' LIMIT 1`;
export const HOLDS_AT_SQL = `
  SELECT 1 FROM deliveries JOIN records ON records.id = record_id
  WHERE lane_id = @laneId AND state = 'held' AND ${IS_HELD_AT} LIMIT 1`;

/** Whether a lane holds any record, or any of these. */
export function holdsRecords(db: Connection, laneId: number, records: { readonly kind: 'held' } | HeldAt): boolean {
  const held =
    records.kind === 'held'
      ? db.prepare(HOLDS_SQL).get({ laneId })
      : db.prepare(HOLDS_AT_SQL).get({ laneId, ...heldAtParameters(records) });
  return held !== undefined;
}

function heldAtParameters({ version, resource, recordIds }: HeldAt) {
  return { version, resource, recordIds: recordIds && JSON.stringify(recordIds) };
}

export const MOVE_SQL = `
  UPDATE deliveries SET state = @to, reason = @reason
  WHERE record_id IN (SELECT value FROM json_each(@recordIds)) AND lane_id = @laneId AND state = @from
  RETURNING (SELECT status FROM records WHERE id = record_id) AS status,
    (SELECT sold_at FROM records WHERE id = record_id) AS soldAt`;

/**
 * Moves a slice, counts it and brings the log up to date, within the caller's transaction. Records whose state has changed
 * since they were read stay as they are. Returns how many were moved.
 */
export function moveActSlice(
  db: Connection,
  counts: LaneCountWriter,
  act: RecordAct,
  { id, laneId }: BegunAct,
  { recordIds, step: { from, to }, moved, isLast }: ActSlice,
): number {
  const move = db.prepare<unknown[], CountedRecord>(MOVE_SQL);
  const reason = act.kind === 'set aside' ? act.reason : null;
  let movedNow = 0;
  for (const state of from) {
    const records = move.all({ laneId, from: state, to, reason, recordIds: JSON.stringify(recordIds) });
    for (const record of records) counts.move(laneId, state, to, record);
    movedNow += records.length;
  }
  counts.write();
  updateAct(db, id, notedAct(act, moved + movedNow, isLast));
  return movedNow;
}

/** The act as it is noted. The ids that an end point holds are left out: they may be very many. */
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

function parametersOf(chosen: Chosen): Readonly<Record<string, number | string | null>> {
  if (chosen.kind === 'sold') return { from: chosen.from, to: chosen.to };
  if (chosen.kind === 'missing') return { verdictId: chosen.verdictId };
  if (chosen.kind === 'held at') return heldAtParameters(chosen);
  return chosen.kind === 'some' ? { recordIds: JSON.stringify(chosen.recordIds) } : {};
}
