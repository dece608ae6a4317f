// Plans an act about records: which deliveries it moves from which state to which. Also reads these deliveries page by page.

import type { DeliveryState, Interface } from '../../../contract/codes.ts';
import { assertNever } from '../../../errors.ts';
import type { HeldAt, RecordAct } from '../../outbox/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { DAY } from '../records/count.ts';
import { NEW_STREAM } from '../records/record-stream.ts';
import { isInState } from './delivery-state.ts';
import { heldAtParameters, IS_HELD_AT } from './held-record.ts';

/** Maximum deliveries that are read for one page. Writing such a slice takes less than 30 ms on a small machine. */
const PAGE_SIZE = 2000;

/**
 * A step of an act, which moves deliveries to the state `to`. It covers deliveries in one of the states `from`, with ids above
 * `after` and up to `last`, if `chosen` includes them.
 */
export interface ActStep extends IdRange {
  readonly from: readonly DeliveryState[];
  readonly to: DeliveryState;
  readonly chosen: Chosen;
}

interface IdRange {
  readonly after: number;
  readonly last: number;
}

/**
 * `sold` has a range of epoch seconds. `missing`: records that a verdict found missing upstream. `held at`: held records that
 * the upstream rejected with status 400 at an end point. `orphans`: duplicates of records that were set aside.
 */
type Chosen =
  | { readonly kind: 'every' }
  | { readonly kind: 'some'; readonly recordIds: readonly number[] }
  | { readonly kind: 'sold'; readonly from: number; readonly to: number }
  | { readonly kind: 'missing'; readonly verdictId: number }
  | HeldAt
  | { readonly kind: 'orphans' };

export interface ActPage {
  readonly recordIds: readonly number[];
  /** The id of the last record read. The next page begins after it. */
  readonly readUpTo: number;
  readonly hasMore: boolean;
}

/**
 * Turns an act into steps. The steps cover the records that are stored now. Only the step for duplicates of records set aside
 * also covers records that arrive later.
 */
export function planRecordAct(db: Connection, laneId: number, act: RecordAct): ActStep[] {
  const { records } = act;
  // For `one`, the range of ids already selects the record.
  const isEvery = records.kind === 'one' || records.kind === 'held' || records.kind === 'all';
  const chosen: Chosen = isEvery ? { kind: 'every' } : records;
  const range = rangeOf(db, laneId, act);
  switch (act.kind) {
    case 'send again':
      return [{ from: statesToSendAgain(act), to: 'waiting', chosen, ...range }];
    case 'set aside':
      return [
        { from: ['held'], to: 'set aside', chosen, ...range },
        // A duplicate waits until its original is delivered. The original is set aside, so the duplicate must be too. If it
        // were sent alone, the upstream would take it for the original.
        { from: ['waiting'], to: 'set aside', chosen: { kind: 'orphans' }, after: 0, last: Number.MAX_SAFE_INTEGER },
      ];
    default:
      return assertNever(act);
  }
}

function statesToSendAgain({ records, delivered }: Extract<RecordAct, { kind: 'send again' }>): DeliveryState[] {
  if (records.kind === 'held' || records.kind === 'held at') return ['held'];
  if (records.kind === 'missing') return ['delivered']; // only delivered records should be upstream
  return delivered ? ['held', 'set aside', 'delivered'] : ['held', 'set aside'];
}

/**
 * Returns the range of ids that an act's records can have. The ids of records sold in one period are close together, so an
 * index finds a small range.
 */
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

/**
 * Finds the range of ids of NEW records on the current interface that were sold in a period. Exported for the test of its query
 * plan.
 */
export const SOLD_RANGE_SQL = `
  SELECT coalesce(min(record_id), 1) - 1 AS after, coalesce(max(record_id), 0) AS last FROM sales
  WHERE journal_id = (SELECT journal_id FROM lanes WHERE id = @laneId) AND stream = ${NEW_STREAM.current}
    AND sold_at >= @from AND sold_at < @to`;

const MISSING_RANGE_SQL = `
  SELECT coalesce(min(record_id), 1) - 1 AS after, coalesce(max(record_id), 0) AS last FROM findings
  WHERE verdict_id = @verdictId AND kind = 'missing upstream'`;

function interfaceOf(db: Connection, laneId: number): Interface {
  return db.prepare('SELECT interface FROM lanes WHERE id = ?').pluck().get(laneId) as Interface;
}

/**
 * Every NEW record is forwarded, so a lane with more deliveries than NEW records has duplicates. Exported for the test of its
 * query plan.
 */
export const HAS_DUPLICATES_SQL = `
  SELECT waiting + delivered + held + set_aside != (
    SELECT coalesce(sum(records), 0) FROM counts
    WHERE counts.journal_id = lanes.journal_id AND counts.interface = lanes.interface AND status = 'NEW' AND width = ${DAY}
  ) FROM lanes WHERE id = ?`;

function hasDuplicates(db: Connection, laneId: number): boolean {
  return db.prepare(HAS_DUPLICATES_SQL).pluck().get(laneId) === 1;
}

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

/**
 * An index finds the deliveries in each state except `delivered`, which is the most frequent. For the state `delivered`, SQLite
 * scans the range of ids. Exported for the test of its query plan.
 */
export function actPageSql(from: readonly DeliveryState[], chosen: Chosen['kind']): string {
  const ofStates = from.map(
    (state) => `
    SELECT record_id FROM deliveries WHERE lane_id = @laneId AND ${isInState(state)} AND record_id > @after AND record_id <= @last`,
  );
  return `
  SELECT record_id AS recordId, ${IS_CHOSEN[chosen]} AS isChosen
  FROM (${ofStates.join(' UNION ALL ')} ORDER BY record_id LIMIT ${PAGE_SIZE}) AS looked`;
}

/** Reads at most `PAGE_SIZE` deliveries of a step, and returns those that the step includes. */
export function readActPage(db: Connection, laneId: number, { from, chosen, last }: ActStep, after: number): ActPage {
  if (chosen.kind === 'orphans' && !hasDuplicates(db, laneId)) return { recordIds: [], readUpTo: last, hasMore: false };
  const looked = db
    .prepare<unknown[], { recordId: number; isChosen: 0 | 1 }>(actPageSql(from, chosen.kind))
    .all({ laneId, after, last, ...parametersOf(chosen) });
  return {
    recordIds: looked.filter(({ isChosen }) => isChosen === 1).map(({ recordId }) => recordId),
    readUpTo: looked.reduce((greatest, { recordId }) => Math.max(greatest, recordId), after),
    hasMore: looked.length === PAGE_SIZE,
  };
}

function parametersOf(chosen: Chosen): Readonly<Record<string, number | string | null>> {
  if (chosen.kind === 'sold') return { from: chosen.from, to: chosen.to };
  if (chosen.kind === 'missing') return { verdictId: chosen.verdictId };
  if (chosen.kind === 'held at') return heldAtParameters(chosen);
  return chosen.kind === 'some' ? { recordIds: JSON.stringify(chosen.recordIds) } : {};
}
