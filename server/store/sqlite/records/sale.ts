// The table `sales` lists the records in the order of sale. A fold fills it after the append (engine/fold.ts). An index of
// `records` instead would make each append write one more database page.

import type { AmountFold } from '../amounts/fold.ts';
import { hasAmounts } from '../amounts/stored-amount.ts';
import { type Connection, hasTable } from '../engine/database.ts';
import { isFolded } from '../engine/tail.ts';
import { STREAMS } from './record-stream.ts';

/**
 * SQL join of `sales` with their records. CROSS JOIN makes SQLite begin with `sales`, so it reads a range of sales and not all
 * records.
 */
export const SALES_WITH_RECORDS = 'sales CROSS JOIN records ON records.id = sales.record_id';

/** SQL for the number of a record's stream. */
const STREAM_OF_RECORD = `CASE ${STREAMS.map(
  ({ interface: by, status }, n) => `WHEN records.interface = '${by}' AND records.status = '${status}' THEN ${n}`,
).join(' ')} END`;

/** SQL condition: a row of `sales` is that of a record. */
export const IS_SALE_OF_RECORD = `
  sales.journal_id = records.journal_id AND stream = ${STREAM_OF_RECORD} AND sales.sold_at = records.sold_at
    AND sales.record_id = records.id`;

const COLUMNS = 'journal_id, stream, sold_at, record_id, type';
/** SQL that adds records to `sales`, without amounts. The caller adds a condition on `records`. */
export const insertSales = (condition: string): string => `
  INSERT INTO sales (${COLUMNS})
    SELECT journal_id, ${STREAM_OF_RECORD} AS number, sold_at, id, type FROM records WHERE ${condition}
    ORDER BY journal_id, number, sold_at, id`;

/** Exported for the test of the query plans. `withAmounts` has a JSON array of amounts, beginning with that of `firstId`. */
export const SALE_FOLD_SQL = {
  withoutAmounts: insertSales('id > ?'),
  withAmounts: `
    INSERT INTO sales (${COLUMNS}, amount)
      SELECT journal_id, ${STREAM_OF_RECORD} AS number, sold_at, records.id, records.type, value
      FROM json_each(@amounts) CROSS JOIN records ON records.id = @firstId + key
      ORDER BY journal_id, number, sold_at, records.id`,
};

/** Returns a function that adds the records after an id to `sales`, within the caller's transaction. */
export function openSaleFold(db: Connection, { fold }: Pick<AmountFold, 'fold'>): (afterId: number) => void {
  if (!hasSales(db)) return () => {};
  const insert = db.prepare<[number]>(SALE_FOLD_SQL.withoutAmounts);
  const insertWith = hasAmounts(db) ? db.prepare<unknown[]>(SALE_FOLD_SQL.withAmounts) : insert;
  return (afterId) => {
    const isDone = fold(afterId, ({ firstId, amounts }) =>
      insertWith.run({ firstId, amounts: JSON.stringify(amounts) }),
    );
    if (!isDone) insert.run(afterId);
  };
}

/** Exported for the test of the query plans. */
export const SALE_FAULT_SQL = {
  missing: (db: Connection): string => `
    SELECT records.id FROM records LEFT JOIN sales
      ON ${IS_SALE_OF_RECORD} AND sales.type = records.type
    WHERE record_id IS NULL AND ${isFolded(db)} LIMIT ?`,
  surplus: `
    SELECT record_id FROM sales LEFT JOIN records
      ON ${IS_SALE_OF_RECORD}
    WHERE records.id IS NULL LIMIT ?`,
};

/**
 * Compares `sales` with all folded records. Lists the ids of records that have no entry, and of entries that have no record; at
 * most `limit` of each.
 */
export function listSaleFaults(db: Connection, limit: number): number[] {
  if (!hasSales(db)) return []; // data of an earlier version have no table `sales`
  return [SALE_FAULT_SQL.missing(db), SALE_FAULT_SQL.surplus].flatMap((sql) =>
    db.prepare<[number], number>(sql).pluck().all(limit),
  );
}

/** Whether the data have the table `sales`. Data of an earlier version have indexes instead. */
export function hasSales(db: Connection): boolean {
  return hasTable(db, 'sales');
}
