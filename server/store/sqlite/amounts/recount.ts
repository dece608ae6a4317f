// Checks the stored amounts. Compares each stored amount with the bytes of its record, and each stored sum with the stored
// amounts.

import type { EarlierMethod } from '../../../contract/codes.ts';
import { formatDecimal, readDecimal } from '../../../lib/decimal.ts';
import { formatAmount } from '../../amounts/currency.ts';
import { type AmountPlace, readAmount } from '../../amounts/read-amount.ts';
import type { AmountFault } from '../../records/ledger.ts';
import { bodyColumns, type BodyRow, openBodies, unlessUnreadable } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import { isFolded } from '../engine/tail.ts';
import { DAY, QUARTER } from '../records/count.ts';
import { digestOf } from '../records/record.ts';
import { joinDecimal, LIMB_COLUMNS } from './limb.ts';
import { amountOf, decimalOf, hasAmounts, storedAmount } from './stored-amount.ts';

/** SQL for the records whose amounts have already been read with the rule in force. */
const fromRead = (db: Connection): string => `
  FROM sales CROSS JOIN records ON records.id = sales.record_id
  CROSS JOIN journals ON journals.id = records.journal_id
  CROSS JOIN amount_rules ON amount_rules.administration_id = journals.administration_id AND amount_rules.type = records.type
  WHERE is_replaced = 0 AND NOT (records.id > filled_until AND records.id <= fill_to) AND ${isFolded(db)}`;

interface StoredRow extends AmountPlace, BodyRow {
  readonly recordId: number;
  readonly method: EarlierMethod | null;
  readonly stored: string | null;
  readonly hasDay: 0 | 1;
}

interface Reread extends Pick<StoredRow, 'recordId' | 'stored' | 'hasDay'> {
  /** The amount in the bytes of the record, as `sales` has amounts; null if it cannot be read. */
  readonly actual: string | null;
}

/** Exported for the test of its query plan. */
export const rereadSql = (db: Connection, condition: string): string => `
  SELECT records.id AS recordId, method, ${bodyColumns(db)}, total, currency, payment, sign, sales.amount AS stored,
    EXISTS (
      SELECT 1 FROM amount_days
      WHERE amount_days.journal_id = sales.journal_id AND amount_days.amount = ${decimalOf('sales.amount')}
        AND starts_at = sales.sold_at - ((sales.sold_at % ${DAY}) + ${DAY}) % ${DAY}
    ) AS hasDay
  ${fromRead(db)} AND ${condition}`;

/** Reads amounts from the records again. Skips damaged records, and records whose archive file cannot be read. */
function* reread(db: Connection, condition = 'true'): Generator<Reread, void> {
  const bodyOf = openBodies(db);
  for (const row of db.prepare<[], StoredRow>(rereadSql(db, condition)).iterate()) {
    const { recordId, method, stored, hasDay } = row;
    const body = unlessUnreadable(() => bodyOf(recordId, row));
    if (body === undefined || !digestOf(body).equals(row.digest)) continue;
    const actual = readAmount(row, { method, body });
    yield { recordId, stored, hasDay, actual: actual === undefined ? null : storedAmount(actual) };
  }
}

/** Lists records whose stored amount differs from the amount in their bytes, or whose day is missing in the search by amount. */
export function listWrongAmounts(db: Connection, limit: number): number[] {
  if (!hasAmounts(db)) return [];
  const wrong: number[] = [];
  for (const { recordId, stored, hasDay, actual } of reread(db)) {
    if (stored !== actual || (actual !== null && hasDay === 0)) wrong.push(recordId);
    if (wrong.length === limit) break;
  }
  return wrong;
}

/** Lists the amounts of records that have no stored amount, although it can be read. */
export function listMissingAmounts(db: Connection): { recordId: number; amount: string }[] {
  return [...reread(db, 'sales.amount IS NULL')].flatMap(({ recordId, actual }) =>
    actual === null ? [] : [{ recordId, amount: actual }],
  );
}

/** SQL for the negative of the text `value`. */
const NEGATED = `CASE WHEN value IS NULL THEN '0' WHEN value LIKE '-%' THEN substr(value, 2) ELSE '-' || value END`;

/** Lists buckets whose stored sums differ from the stored amounts of their records. */
export function listAmountFaults(db: Connection, limit: number): AmountFault[] {
  if (!hasAmounts(db)) return [];
  defineDecimals(db);
  // Uses one GROUP BY over stored and actual buckets, because a join of them would take quadratic time.
  return db
    .prepare<[number], Omit<AmountFault, 'currency'> & { currency: string }>(`
    SELECT journalId, type, status, width, startsAt, currency, add_decimals(value) AS excess, sum(records) AS excessRecords,
      sum(without) AS excessWithoutAmount
    FROM (
      SELECT amount_sums.journal_id AS journalId, type, interface, status, width, starts_at AS startsAt, till_id AS tillId,
        amount_sums.currency, records, without_amount AS without, join_limbs(${LIMB_COLUMNS}) AS value
      FROM amount_rules JOIN amount_sums ON rule_id = amount_rules.id WHERE is_replaced = 0
      UNION ALL
      SELECT journalId, type, interface, status, width, soldAt - ((soldAt % width) + width) % width, tillId, currency,
        iif(value IS NULL, 0, -1), iif(value IS NULL, -1, 0), ${NEGATED}
      FROM (
        SELECT records.journal_id AS journalId, records.type, records.interface, status, records.sold_at AS soldAt,
          (SELECT till_id FROM keys WHERE keys.id = key_id) AS tillId,
          iif(amount IS NULL, iif(currency LIKE '/%', '', coalesce(currency, '')), ltrim(substr(amount, instr(amount || ' ', ' '))))
            AS currency,
          ${decimalOf('amount')} AS value
        ${fromRead(db)}
      ) CROSS JOIN (SELECT ${QUARTER} AS width UNION ALL SELECT ${DAY})
    )
    GROUP BY journalId, type, interface, status, width, startsAt, tillId, currency
    HAVING sum(records) != 0 OR sum(without) != 0 OR add_decimals(value) != '0'
    LIMIT ?`)
    .all(limit)
    .map((row) => {
      const currency = row.currency === '' ? null : row.currency;
      return { ...row, currency, excess: formatAmount(readDecimal(row.excess), currency) };
    });
}

/** Adds SQL functions for exact decimals to the connection. */
function defineDecimals(db: Connection): void {
  db.function(
    'join_limbs',
    { deterministic: true, safeIntegers: true },
    (giga: bigint, unit: bigint, nano: bigint, atto: bigint) => formatDecimal(joinDecimal({ giga, unit, nano, atto })),
  );
  db.aggregate<bigint | string>('add_decimals', {
    start: 0n,
    // A damaged amount counts as zero here. `listWrongAmounts` lists it.
    step: (sum, value) => BigInt(sum) + (amountOf(String(value))?.value ?? 0n),
    result: (sum) => formatDecimal(BigInt(sum)),
  });
}
