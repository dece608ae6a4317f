// The amount of a record as the column `sales.amount` has it: an exact decimal, then a space and the currency if it is known, such
// as "12.5 EUR". Sums use four integers (limb.ts), because SQL cannot add texts.

import { formatDecimal, readDecimal } from '../../../lib/decimal.ts';
import type { ReadAmount } from '../../amounts/read-amount.ts';
import type { Connection } from '../engine/database.ts';

/** Whether the database has amounts in `sales`. Data of an earlier version lack them, so no amounts are derived. */
export function hasAmounts(db: Connection): boolean {
  return db.prepare("SELECT 1 FROM pragma_table_info('sales') WHERE name = 'amount'").get() !== undefined;
}

/** Many sales have the same amount, and its reader then returns the same object. */
const written = new WeakMap<ReadAmount, string>();

export function storedAmount(amount: ReadAmount): string {
  const known = written.get(amount);
  if (known !== undefined) return known;
  const { value, currency } = amount;
  const text = currency === null ? formatDecimal(value) : `${formatDecimal(value)} ${currency}`;
  written.set(amount, text);
  return text;
}

/** Reads what `storedAmount` returned. Returns undefined for a damaged text. */
export function amountOf(stored: string): ReadAmount | undefined {
  const [, value, currency = null] = /^(-?\d+(?:\.\d{1,18})?)(?: ([A-Z]{3}))?$/.exec(stored) ?? [];
  return value === undefined ? undefined : { value: readDecimal(value), currency };
}

/** SQL for the decimal of a stored amount. */
export function decimalOf(amount: string): string {
  return `substr(${amount}, 1, instr(${amount} || ' ', ' ') - 1)`;
}
