// Stores deliveries. A new delivery waits; later it gets its outcome and keeps it. A record of the tail (engine/fold.ts) has a
// row only if it was delivered. Lanes therefore read the tail too, so that they need no fold.

import { STATUSES } from '../../../contract/codes.ts';
import type {
  EndPoint,
  WaitingChoice,
  CountedRecord,
  WaitingPage,
  WaitingRecord,
  Settlement,
} from '../../outbox/ledger.ts';
import type { EarlierCall } from '../../records/ledger.ts';
import { openBodies, type ReadBody, unlessUnreadable } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import { TailError } from '../engine/tail.ts';
import { digestOf } from '../records/record.ts';
import { isInState, stateNumber } from './delivery-state.ts';
import { isSameEndPoint } from './end-point.ts';
import type { LaneCountWriter } from './lane-count.ts';

/** Limits of a page that a lane reads. `looked` is the number of rows that are examined. */
const PAGE = { records: 256, bytes: 4 * 1024 * 1024, looked: 1024 };

/**
 * Selects the waiting deliveries of a lane. If an end point is given, `body` is null for records of other end points. Exported
 * for the test of its query plan.
 */
export const WAITING_SQL = `
  SELECT ${waitingColumns()}, original_id IS NOT NULL AND EXISTS (
      SELECT 1 FROM deliveries AS originals WHERE originals.record_id = original_id AND originals.state != 'delivered'
    ) AS awaitsOriginal
  FROM deliveries JOIN records ON records.id = record_id
  WHERE lane_id = @laneId AND ${isInState('waiting')} AND record_id > @after ORDER BY record_id`;
/** `NOT INDEXED` lets SQLite read the tail by record id. */
const TAIL_OF_LANE = `
  records NOT INDEXED WHERE records.id > max(@after, (SELECT folded_until FROM fold))
    AND journal_id = (SELECT journal_id FROM lanes WHERE id = @laneId)
    AND interface = (SELECT interface FROM lanes WHERE id = @laneId)`;
/**
 * Selects the waiting records of a lane that are in the tail. Exported, like `TAIL_DUPLICATE_SQL`, for the test of its query
 * plan.
 */
export const WAITING_TAIL_SQL = `
  SELECT ${waitingColumns()}, 0 AS awaitsOriginal FROM ${TAIL_OF_LANE}
    AND status = 'NEW' AND NOT EXISTS (SELECT 1 FROM deliveries WHERE record_id = records.id)
  ORDER BY records.id`;
/** Whether the tail has a duplicate to forward. Only a fold decides the state of its delivery. */
export const TAIL_DUPLICATE_SQL = `
  SELECT 1 FROM ${TAIL_OF_LANE} AND status != 'NEW' AND EXISTS (
    SELECT 1 FROM journals JOIN administrations ON administrations.id = administration_id JOIN json_each(forwarded)
    WHERE journals.id = journal_id AND value = status)
  LIMIT 1`;
/** The oldest and newest waiting record of a lane. Exported for the test of its query plan. */
export const ENDS_SQL = `
  SELECT (SELECT min(record_id) FROM deliveries WHERE lane_id = @laneId AND ${isInState('waiting')}) AS oldest,
    (SELECT max(record_id) FROM deliveries WHERE lane_id = @laneId AND ${isInState('waiting')}) AS newest`;

interface WaitingRow extends CountedRecord {
  readonly recordId: number;
  readonly version: string | null;
  readonly method: EarlierCall['method'] | null;
  readonly type: string;
  readonly digest: Buffer;
  readonly body: Buffer | null;
  readonly archiveBlock: number | null;
  readonly awaitsOriginal: 0 | 1;
}

interface WaitingParameters {
  readonly laneId: number;
  readonly after: number;
  /** The end point whose bodies are read; null for all end points. */
  readonly version: string | null;
  readonly resource: string | null;
}

function parametersOf(laneId: number, after: number, choice: WaitingChoice): WaitingParameters {
  const { version = null, resource = null } = 'only' in choice ? choice.only : {};
  return { laneId, after, version, resource };
}

function waitingColumns(): string {
  return `
    records.id AS recordId, status, sold_at AS soldAt, version, method, type, digest, archive_block AS archiveBlock,
    CASE WHEN @version IS NULL OR (version = @version AND type = @resource) THEN body END AS body`;
}

/**
 * Returns a reader of a page of a lane's waiting records, oldest first, including the tail. It returns only records that
 * `choice` selects, and verifies each body against its SHA-256. It throws a TailError if the tail must be folded first.
 */
export function openWaitingReader(
  db: Connection,
): (laneId: number, after: number, choice: WaitingChoice) => WaitingPage {
  const select = db.prepare<[WaitingParameters], WaitingRow>(WAITING_SQL);
  const selectTail = db.prepare<[WaitingParameters], WaitingRow>(WAITING_TAIL_SQL);
  const bodyOf = openBodies(db);
  const findDuplicate = db.prepare<[Pick<WaitingParameters, 'laneId' | 'after'>]>(TAIL_DUPLICATE_SQL);

  function* rowsAfter(parameters: WaitingParameters): Generator<WaitingRow> {
    yield* select.iterate(parameters);
    yield* selectTail.iterate(parameters);
  }

  return db.transaction((laneId: number, after: number, choice: WaitingChoice) => {
    if (findDuplicate.get({ laneId, after }) !== undefined) throw new TailError();
    const records: WaitingRecord[] = [];
    let bytes = 0;
    let last = after;
    let looked = 0;
    let hasPassedOver = false;
    for (const row of rowsAfter(parametersOf(laneId, after, choice))) {
      if (records.length === PAGE.records || bytes > PAGE.bytes || looked === PAGE.looked)
        return { records, last, hasMore: true, hasPassedOver };
      last = row.recordId;
      looked += 1;
      if (!isChosen(row, choice)) continue;
      const record = row.awaitsOriginal === 1 ? undefined : waitingOf(row, bodyOf);
      if (record === undefined) hasPassedOver = true;
      else {
        records.push(record);
        bytes += record.body?.byteLength ?? 0;
      }
    }
    return { records, last, hasMore: false, hasPassedOver };
  });
}

/**
 * Whether `choice` includes the end point of a row. Records of the current interface have no end point and are always included.
 */
function isChosen({ version, type: resource }: WaitingRow, choice: WaitingChoice): boolean {
  if (version === null) return true;
  const isIt = (endPoint: EndPoint): boolean => isSameEndPoint(endPoint, { version, resource });
  return 'only' in choice ? isIt(choice.only) : !choice.except.some(isIt);
}

/**
 * Returns a function that finds one waiting record that `choice` selects and that may be sent now. It begins at `place`, where
 * 0 is the oldest record and 1 the newest. It reads at most one page.
 */
export function openWaitingFinder(
  db: Connection,
): (laneId: number, place: number, choice: WaitingChoice) => WaitingRecord | undefined {
  const selectEnds = db.prepare<[{ laneId: number }], { oldest: number | null; newest: number | null }>(ENDS_SQL);
  const select = db.prepare<[WaitingParameters], WaitingRow>(`${WAITING_SQL} LIMIT ${PAGE.looked}`);
  const bodyOf = openBodies(db);
  return (laneId, place, choice) => {
    const { oldest = null, newest = null } = selectEnds.get({ laneId }) ?? {};
    if (oldest === null || newest === null) return undefined;
    const from = oldest + Math.floor(place * (newest - oldest));
    for (const row of select.iterate(parametersOf(laneId, from - 1, choice))) {
      const record = row.awaitsOriginal === 0 && isChosen(row, choice) ? waitingOf(row, bodyOf) : undefined;
      if (record !== undefined) return record;
    }
    return undefined;
  };
}

/**
 * Undefined if the body is in an archive file that cannot be read. The record then waits: it is not damaged, and a person can put the
 * file back.
 */
function waitingOf(row: WaitingRow, bodyOf: ReadBody): WaitingRecord | undefined {
  const { recordId, status, soldAt, version, method, type, digest, body: stored, archiveBlock } = row;
  const body =
    stored === null ? null : unlessUnreadable(() => bodyOf(recordId, { digest, body: stored, archiveBlock }));
  if (body === undefined) return undefined;
  return {
    recordId,
    status,
    soldAt,
    earlier: version === null || method === null ? undefined : { version, method, resource: type },
    body: body !== null && digestOf(body).equals(digest) ? body : undefined,
  };
}

/**
 * The possible states after an attempt. `waiting` means that the attempt failed because of this record, so the record must
 * wait.
 */
export const SETTLED_STATES = ['waiting', 'delivered', 'held'] as const satisfies readonly Settlement['state'][];

/** Settles deliveries within the caller's transaction. */
export interface SettlementWriter {
  /**
   * Settles records. Skips a record that is not waiting, and a record after `foldedUntil` that must be folded first; returns
   * the ids of both. The next fold counts the settled records after `foldedUntil`.
   */
  settle(laneId: number, settlements: readonly Settlement[], foldedUntil: number): number[];
}

/** Exported for the test of the query plans. */
export const DELIVERY_FOLD_SQL = {
  insert: `
    INSERT INTO deliveries (record_id, lane_id)
      SELECT records.id, lanes.id
      FROM records CROSS JOIN lanes ON lanes.journal_id = records.journal_id AND lanes.interface = records.interface
      WHERE records.id > ? AND (status = 'NEW' OR EXISTS (
        SELECT 1 FROM journals JOIN administrations ON administrations.id = administration_id JOIN json_each(forwarded)
        WHERE journals.id = records.journal_id AND value = status))
      ORDER BY records.id
      ON CONFLICT DO NOTHING`,
  setAside: (stateColumn: string): string => `
    UPDATE deliveries SET ${stateColumn} = originals.${stateColumn}, reason = originals.reason
    FROM records CROSS JOIN deliveries AS originals ON originals.record_id = original_id
    WHERE deliveries.record_id > ? AND records.id = deliveries.record_id AND originals.state = 'set aside'`,
};

/**
 * Returns a function that adds a waiting delivery for each forwarded record after an id, within the caller's transaction. A
 * record that was delivered in the tail already has a delivery. A duplicate of a record set aside is set aside too; otherwise
 * it would wait permanently.
 */
export function openDeliveryFold(db: Connection): (afterId: number) => void {
  const insert = db.prepare<[number]>(DELIVERY_FOLD_SQL.insert);
  const setAside = db.prepare<[number]>(DELIVERY_FOLD_SQL.setAside(stateColumn(db)));
  return (afterId) => {
    insert.run(afterId);
    setAside.run(afterId);
  };
}

/** Returns the name of the column that stores the state. Data of an earlier version store the state as text. */
function stateColumn(db: Connection): string {
  const isNumber = db.prepare("SELECT 1 FROM pragma_table_info('deliveries') WHERE name = 'state_number'").get();
  return isNumber === undefined ? 'state' : 'state_number';
}

/** Whether a record of the tail can be settled before it is folded. Every other outcome depends on other deliveries. */
export function needsNoFold({ state, status }: Settlement): boolean {
  return state === 'delivered' && status === 'NEW';
}

/** Returns a writer of settlements. It adds each change to `counts`. The caller must call `counts.write()`. */
export function openSettlementWriter(db: Connection, counts: LaneCountWriter): SettlementWriter {
  const settleWaiting = db.prepare(`
    UPDATE deliveries SET state_number = ?, attempts = attempts + ?, answered_at = ?, answer_status = ?, answer = ?,
      upstream_number = ?
    WHERE record_id = ? AND lane_id = ? AND ${isInState('waiting')}`);
  const settleTail = db.prepare(`
    INSERT INTO deliveries (state_number, attempts, answered_at, answer_status, answer, upstream_number, record_id, lane_id)
    SELECT ?, ?, ?, ?, ?, ?, records.id, lanes.id
    FROM records JOIN lanes ON lanes.journal_id = records.journal_id AND lanes.interface = records.interface
    WHERE records.id = ? AND lanes.id = ? AND status = 'NEW' ON CONFLICT DO NOTHING`);

  return {
    settle(laneId, settlements, foldedUntil) {
      const strange: number[] = [];
      for (const settlement of settlements) {
        const { recordId, state, attempts, answeredAt, answerStatus, answer, upstreamStatus } = settlement;
        const upstreamNumber = upstreamStatus && STATUSES.indexOf(upstreamStatus);
        const what = [stateNumber(state), attempts, answeredAt, answerStatus, answer, upstreamNumber];
        const isInTail = recordId > foldedUntil;
        const isSettled =
          (!isInTail || needsNoFold(settlement)) &&
          (isInTail ? settleTail : settleWaiting).run(...what, recordId, laneId).changes === 1;
        if (!isSettled) strange.push(recordId);
        else if (!isInTail && state !== 'waiting') counts.move(laneId, 'waiting', state, settlement, answeredAt);
      }
      return strange;
    },
  };
}
