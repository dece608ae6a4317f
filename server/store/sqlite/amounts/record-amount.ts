// Adds the amount of each record to a list of records. Its SQL is joined to the query of the list, under column names that no
// other table has.

import type { RecordAmount } from '../../../contract/amounts.ts';
import { formatAmount } from '../../amounts/currency.ts';
import { type AmountPlace, readPayment } from '../../amounts/read-amount.ts';
import type { KeptCall } from '../../records/content.ts';
import type { Connection } from '../engine/database.ts';
import { joinDecimal, type Limbs } from './limb.ts';

/** SQL joins for a query that already reads `records` and `administrations`. */
export const AMOUNT_JOINS = `
  LEFT JOIN (
    SELECT id AS ruleId, administration_id AS ruleAdministration, type AS ruleType, filled_until AS filledUntil, fill_to AS fillTo
    FROM amount_rules WHERE is_replaced = 0
  ) ON ruleAdministration = administrations.id AND ruleType = records.type
  LEFT JOIN (SELECT record_id AS amountRecord, rule_id AS amountRule, currency, giga, unit, nano, atto FROM amounts)
    ON amountRecord = records.id AND amountRule = ruleId`;
export const AMOUNT_COLUMNS = 'ruleId, filledUntil, fillTo, currency, giga, unit, nano, atto';

export type AmountRow = { readonly [Limb in keyof Limbs]: number | null } & {
  readonly recordId: number;
  readonly ruleId: number | null;
  readonly filledUntil: number | null;
  readonly fillTo: number | null;
  readonly currency: string | null;
};

export function recordAmountOf({
  recordId,
  ruleId,
  filledUntil,
  fillTo,
  currency,
  giga,
  unit,
  nano,
  atto,
}: AmountRow): RecordAmount {
  if (ruleId === null) return null;
  if (currency === null) return recordId > (filledUntil ?? 0) && recordId <= (fillTo ?? 0) ? 'pending' : 'unreadable';
  const code = currency === '' ? null : currency;
  const value = joinDecimal({ giga: giga ?? 0, unit: unit ?? 0, nano: nano ?? 0, atto: atto ?? 0 });
  return { currency: code, value: formatAmount(value, code) };
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
