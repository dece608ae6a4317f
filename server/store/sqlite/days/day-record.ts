// The records that are compared with the upstream: NEW records of the current interface, in the order of sale.

import type { AnswerSums, DayRecord } from '../../days/ledger.ts';
import type { Range } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { NEW_STREAM, streamNumber } from '../records/record-stream.ts';
import { SALES_WITH_RECORDS } from '../records/sale.ts';

const COLUMNS = `
  SELECT records.id AS recordId, external_id AS externalId, records.type, records.sold_at AS soldAt, state, answered_at AS answeredAt,
    upstream_status AS upstreamStatus`;
const OF_RANGE = `
  FROM ${SALES_WITH_RECORDS} LEFT JOIN deliveries ON deliveries.record_id = records.id
  WHERE sales.journal_id = @journalId AND stream = ${NEW_STREAM.current} AND sales.sold_at >= @from AND sales.sold_at < @to`;

/** The stream numbers of duplicates on the current interface, whose status is IGNORED or ERROR. */
const DUPLICATE_STREAMS = (['IGNORED', 'ERROR'] as const).map((status) =>
  streamNumber({ interface: 'current', status }),
);

/** Exported for the test that asserts the query plans. */
export const DAY_RECORD_SQL = {
  list: `${COLUMNS} ${OF_RANGE} ORDER BY sales.sold_at, sales.record_id`,
  answers: `
    SELECT coalesce(sum(max(attempts - 1, upstream_status IS 'IGNORED', 0)), 0) AS resends,
      coalesce(sum(upstream_status IS 'ERROR'), 0) AS errors
    ${OF_RANGE} AND state = 'delivered'`,
  duplicates: `
    SELECT count(*) FROM sales CROSS JOIN deliveries ON deliveries.record_id = sales.record_id
    WHERE journal_id = @journalId AND stream IN (${DUPLICATE_STREAMS.join(', ')})
      AND sold_at >= @from AND sold_at < @to AND state = 'delivered'`,
  place: `
    SELECT sold_at FROM sales
    WHERE journal_id = @journalId AND stream = ${NEW_STREAM.current} AND sold_at >= @from AND sold_at < @to
    ORDER BY sold_at, record_id LIMIT 1 OFFSET @place`,
  byId: `
    ${COLUMNS} FROM records INDEXED BY originals LEFT JOIN deliveries ON record_id = records.id
    WHERE journal_id = @journalId AND status = 'NEW' AND interface = 'current' AND external_id = @externalId`,
};

export function openDayRecordReader(db: Connection): (query: Range & { journalId: number }) => DayRecord[] {
  const select = db.prepare<unknown[], DayRecord>(DAY_RECORD_SQL.list);
  return (query) => select.all(query);
}

export function openAnswerReader(db: Connection): (query: Range & { journalId: number }) => AnswerSums {
  const sum = db.prepare<unknown[], AnswerSums>(DAY_RECORD_SQL.answers);
  const countDuplicates = db.prepare<unknown[], number>(DAY_RECORD_SQL.duplicates).pluck();
  return (query) => {
    const { resends = 0, errors = 0 } = sum.get(query) ?? {};
    return { resends: resends + (countDuplicates.get(query) ?? 0), errors };
  };
}

/**
 * Returns a finder of the time of sale of one record. `place` says which record: 0 is the first sale of the range. Undefined
 * beyond the last sale.
 */
export function openPlaceFinder(
  db: Connection,
): (query: Range & { journalId: number; place: number }) => number | undefined {
  const select = db.prepare<unknown[], number>(DAY_RECORD_SQL.place).pluck();
  return (query) => select.get(query);
}

/** Finds records by id, whenever they were sold. Leaves out unknown ids. */
export function openOriginalFinder(db: Connection): (journalId: number, externalIds: readonly string[]) => DayRecord[] {
  const select = db.prepare<unknown[], DayRecord>(DAY_RECORD_SQL.byId);
  return (journalId, externalIds) =>
    externalIds.map((externalId) => select.get({ journalId, externalId })).filter((record) => record !== undefined);
}
