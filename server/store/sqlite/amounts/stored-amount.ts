// The amount of a record as the column `sales.amount` has it: an exact decimal, then a space and the currency if it is known, such
// as "12.5 EUR". A sum is stored otherwise (limb.ts), because SQL cannot add texts.

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

/** Reads what `storedAmount` returned. */
export function amountOf(stored: string): ReadAmount {
  const [value = '', currency = null] = stored.split(' ');
  return { value: readDecimal(value), currency };
}

/** SQL condition: a stored amount has a decimal, in any currency. Both arguments are SQL. */
export function hasDecimal(amount: string, decimal: string): string {
  return `substr(${amount} || ' ', 1, length(${decimal}) + 1) = ${decimal} || ' '`;
}
