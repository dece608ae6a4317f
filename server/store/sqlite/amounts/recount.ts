// Checks the stored amounts. Compares each stored amount with the bytes of its record, and each stored sum with the stored
// amounts.

import type { EarlierMethod } from '../../../contract/codes.ts';
import { formatAmount } from '../../amounts/currency.ts';
import { type AmountPlace, readAmount } from '../../amounts/read-amount.ts';
import type { AmountFault } from '../../records/ledger.ts';
import { bodyColumns, type BodyRow, openBodies, unlessUnreadable } from '../archive/body.ts';
import type { Connection } from '../engine/database.ts';
import { isFolded } from '../engine/tail.ts';
import { DAY, QUARTER } from '../records/count.ts';
import { digestOf } from '../records/record.ts';
import { joinDecimal, LIMB_COLUMNS, type Limbs, LIMBS, type LimbSums } from './limb.ts';
import { hasAmounts } from './rules-in-force.ts';

/** SQL for the records whose amounts have already been read with the rule in force. */
const fromRead = (db: Connection): string => `
  FROM amount_rules JOIN journals ON journals.administration_id = amount_rules.administration_id
  JOIN records ON records.journal_id = journals.id AND records.type = amount_rules.type
  JOIN keys ON keys.id = key_id
  LEFT JOIN amounts ON record_id = records.id AND rule_id = amount_rules.id
  WHERE is_replaced = 0 AND NOT (records.id > filled_until AND records.id <= fill_to) AND ${isFolded(db)}`;

interface ReadRow extends AmountPlace, Limbs, BodyRow {
  readonly recordId: number;
  readonly method: EarlierMethod | null;
  /** The currency of the stored amount. Null if no amount is stored for the record. */
  readonly storedCurrency: string | null;
  readonly hasDay: 0 | 1;
}

/**
 * Lists records whose stored amount differs from the amount in their bytes, or whose day is missing in the search by amount.
 * Skips damaged records, and records whose archive file cannot be read.
 */
export function listWrongAmounts(db: Connection, limit: number): number[] {
  if (!hasAmounts(db)) return [];
  const rows = db.prepare<[], ReadRow>(`
    SELECT records.id AS recordId, method, ${bodyColumns(db)}, total, amount_rules.currency, payment, sign,
      amounts.currency AS storedCurrency, ${LIMBS.map((limb) => `amounts.${limb}`).join(', ')},
      EXISTS (
        SELECT 1 FROM amount_days
        WHERE amount_days.journal_id = records.journal_id AND starts_at = sold_at - ((sold_at % ${DAY}) + ${DAY}) % ${DAY}
          AND ${LIMBS.map((limb) => `amount_days.${limb} = amounts.${limb}`).join(' AND ')}
      ) AS hasDay
    ${fromRead(db)}`);
  const wrong: number[] = [];
  const bodyOf = openBodies(db);
  for (const { recordId, method, storedCurrency, hasDay, ...row } of rows.iterate()) {
    const body = unlessUnreadable(() => bodyOf(recordId, row));
    if (body === undefined || !digestOf(body).equals(row.digest)) continue;
    const actual = readAmount(row, { method, body });
    const isRight =
      actual === undefined
        ? storedCurrency === null
        : storedCurrency === (actual.currency ?? '') && joinDecimal(row) === actual.value && hasDay === 1;
    if (!isRight) wrong.push(recordId);
    if (wrong.length === limit) break;
  }
  return wrong;
}

interface DifferenceRow extends LimbSums {
  readonly journalId: bigint;
  readonly type: string;
  readonly status: AmountFault['status'];
  readonly width: bigint;
  readonly startsAt: bigint;
  readonly currency: string;
  readonly records: bigint;
  readonly withoutAmount: bigint;
}

/** Lists buckets whose stored sums differ from the stored amounts of their records. */
export function listAmountFaults(db: Connection, limit: number): AmountFault[] {
  if (!hasAmounts(db)) return [];
  /** SQL for the sum of one limb plus the carry from all lower limbs. `count` is 1 for the lowest limb. */
  const carried = (count: number): string =>
    LIMBS.toReversed()
      .slice(0, count)
      .reduce((low, limb) => (low === '' ? `sum(${limb})` : `sum(${limb}) + (${low}) / 1000000000`), '');
  const hasRest = [1, 2, 3].map((count) => `(${carried(count)}) % 1000000000 != 0`).join(' OR ');
  // Uses one GROUP BY over stored and actual buckets, because a join of them would take quadratic time.
  const rows = db
    .prepare<[number], DifferenceRow>(`
    SELECT journalId, type, status, width, startsAt, currency, sum(records) AS records, sum(without) AS withoutAmount,
      ${LIMBS.map((limb) => `sum(${limb}) AS ${limb}`).join(', ')}
    FROM (
      SELECT amount_sums.journal_id AS journalId, type, interface, status, width, starts_at AS startsAt, till_id AS tillId,
        amount_sums.currency, records, without_amount AS without, ${LIMB_COLUMNS}
      FROM amount_rules JOIN amount_sums ON rule_id = amount_rules.id WHERE is_replaced = 0
      UNION ALL
      SELECT journalId, type, interface, status, width, soldAt - ((soldAt % width) + width) % width, tillId, currency, records, without,
        ${LIMB_COLUMNS}
      FROM (
        SELECT records.journal_id AS journalId, records.type, records.interface, status, sold_at AS soldAt, till_id AS tillId,
          coalesce(amounts.currency, iif(amount_rules.currency LIKE '/%', '', amount_rules.currency), '') AS currency,
          iif(amounts.record_id IS NULL, 0, -1) AS records, iif(amounts.record_id IS NULL, -1, 0) AS without,
          ${LIMBS.map((limb) => `-coalesce(amounts.${limb}, 0) AS ${limb}`).join(', ')}
        ${fromRead(db)}
      ) CROSS JOIN (SELECT ${QUARTER} AS width UNION ALL SELECT ${DAY})
    )
    GROUP BY journalId, type, interface, status, width, startsAt, tillId, currency
    HAVING sum(records) != 0 OR sum(without) != 0 OR ${hasRest} OR ${carried(LIMBS.length)} != 0
    LIMIT ?`)
    .safeIntegers()
    .all(limit);
  return rows.map((row) => {
    const currency = row.currency === '' ? null : row.currency;
    return {
      journalId: Number(row.journalId),
      type: row.type,
      status: row.status,
      width: Number(row.width),
      startsAt: Number(row.startsAt),
      currency,
      excess: formatAmount(joinDecimal(row), currency),
      excessRecords: Number(row.records),
      excessWithoutAmount: Number(row.withoutAmount),
    };
  });
}
