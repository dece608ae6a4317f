// Adds the amount of each record to a list of records. Its SQL is joined to the query of the list, under column names that no
// other table has.

import type { RecordAmount } from '../../../contract/amounts.ts';
import { formatAmount } from '../../amounts/currency.ts';
import { type AmountPlace, readPayment } from '../../amounts/read-amount.ts';
import type { KeptCall } from '../../records/content.ts';
import type { Connection } from '../engine/database.ts';
import { IS_SALE_OF_RECORD } from '../records/sale.ts';
import { amountOf } from './stored-amount.ts';

/** SQL join for a query that already reads `records` and `administrations`. */
export const AMOUNT_JOIN = `
  LEFT JOIN (
    SELECT id AS ruleId, administration_id AS ruleAdministration, type AS ruleType, filled_until AS filledUntil, fill_to AS fillTo
    FROM amount_rules WHERE is_replaced = 0
  ) ON ruleAdministration = administrations.id AND ruleType = records.type`;
export const AMOUNT_COLUMNS = `
  ruleId, records.id > filledUntil AND records.id <= fillTo AS isPending,
  (SELECT amount FROM sales WHERE ${IS_SALE_OF_RECORD}) AS stored`;

export interface AmountRow {
  readonly ruleId: number | null;
  readonly isPending: 0 | 1 | null;
  readonly stored: string | null;
}

export function recordAmountOf({ ruleId, isPending, stored }: AmountRow): RecordAmount {
  if (ruleId === null) return null;
  if (isPending === 1) return 'pending';
  const amount = stored === null ? undefined : amountOf(stored);
  if (amount === undefined) return 'unreadable';
  const { value, currency } = amount;
  return { currency, value: formatAmount(value, currency) };
}

/** Reads the payment method of an intact record. Null if the record has none, or no rule says where it is. */
export function openPaymentReader(db: Connection): (journalId: number, type: string, call: KeptCall) => string | null {
  const select = db.prepare<[number, string], AmountPlace>(`
    SELECT total, currency, payment, sign FROM amount_rules JOIN journals USING (administration_id)
    WHERE journals.id = ? AND type = ? AND is_replaced = 0`);
  return (journalId, type, call) => {
    const rule = select.get(journalId, type);
    return rule === undefined ? null : readPayment(rule, call);
  };
}
