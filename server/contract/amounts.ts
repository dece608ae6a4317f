// Amounts of money: where they stand in a record, and their sums. An amount is the text of an exact decimal, such as -12.50,
// and never a number.

/**
 * How the sign of a total counts. `negative`: the total reduces the sum, whether the till sends it with a minus sign or without
 * one, as for a type that has only refunds.
 */
export const AMOUNT_SIGNS = ['as sent', 'negative'] as const;
export type AmountSign = (typeof AMOUNT_SIGNS)[number];

/**
 * Where the amount of a record of one type stands, in all journals of an administration. Pointers are JSON pointers into the body
 * or, on the earlier interface, into its parameters.
 */
export interface AmountRule {
  readonly type: string;
  /** The pointer to the total. */
  readonly total: string;
  /** A pointer, which begins with /, or a code of three capital letters. Null if the currency is not known. */
  readonly currency: string | null;
  /** The pointer to the payment method. */
  readonly payment: string | null;
  readonly sign: AmountSign;
}

/**
 * An amount of one record.
 *
 * @public
 */
export interface Amount {
  /** A code of three capital letters; null if the rule names no currency. */
  readonly currency: string | null;
  /** With at least the decimal places of the currency. */
  readonly value: string;
}

/** The amounts of some records in one currency. */
export interface AmountSum {
  /** Null for amounts without a currency, and for records whose currency cannot be read. */
  readonly currency: string | null;
  /** The sum of the amounts that can be read, with at least the decimal places of the currency. */
  readonly value: string;
  /** The number of records whose amount cannot be read. They are not a part of `value`. */
  readonly withoutAmount: number;
}

/**
 * One sum per currency, sorted by currency. Only records of types with a rule count. Null while amounts of old records are still
 * being read, after a rule was set.
 *
 * @public
 */
export type AmountSums = readonly AmountSum[] | null;
