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

/** An amount of one record. */
export interface Amount {
  /** A code of three capital letters; null if the rule names no currency. */
  readonly currency: string | null;
  /** With at least the decimal places of the currency. */
  readonly value: string;
}

/**
 * The amount of a record in a list. `unreadable`: the rule finds no amount in it. `pending`: it has not been read yet, after a rule
 * was set. Null: its type has no rule.
 */
export type RecordAmount = Amount | 'unreadable' | 'pending' | null;

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
 */
export type AmountSums = readonly AmountSum[] | null;

/**
 * The exact decimal in what a person types: 12,50 and € 1.234,50 as well as 12.5. The last point or comma is the decimal sign, unless
 * it occurs twice. Undefined if it is no amount.
 */
export function readTypedAmount(text: string): string | undefined {
  const number = text
    .replaceAll(/[\s'’]/gu, '')
    .replaceAll(/^(\p{Sc}|[A-Za-z]{3}(?=[+\d-]))|(\p{Sc}|(?<=\d)[A-Za-z]{3})$/gu, '');
  const [, sign = '', whole = '', mark = '', fraction = ''] =
    /^([+-]?)(\d[\d.,]*?)(?:([.,])(\d+))?$/.exec(number) ?? [];
  const isRepeated = mark !== '' && whole.includes(mark);
  const groups = isRepeated ? `${whole}${mark}${fraction}` : whole;
  if (whole === '' || !/^\d+$|^\d{1,3}(,\d{3})+$|^\d{1,3}(\.\d{3})+$/.test(groups)) return undefined;
  const digits = groups.replaceAll(/[.,]/g, '');
  return `${sign === '-' ? '-' : ''}${digits}${isRepeated || fraction === '' ? '' : `.${fraction}`}`;
}

/** GET /api/amounts?journal=ID, and the answer of PUT /api/amounts: those of the journal's administration, sorted by type. */
export interface AmountsView {
  readonly rules: readonly AmountRuleState[];
  /** For types without a rule. */
  readonly suggestions: readonly AmountSuggestion[];
}

/** Body of PUT /api/amounts. Null removes the rule of the type. It applies to both journals of the administration. */
export interface AmountRuleRequest {
  readonly journal: number;
  readonly type: string;
  readonly rule: Omit<AmountRule, 'type'> | null;
}

/** A rule in force. */
export interface AmountRuleState extends AmountRule {
  /** Whether amounts of old records are still being read: of all records, those that were looked at. Null when done. */
  readonly fill: { readonly done: number; readonly total: number } | null;
}

/** A rule that the gateway proposes, and what it reads with this rule. */
export interface AmountSuggestion {
  readonly rule: AmountRule;
  /** The number of records that were looked at, and how many of them have an amount by this rule. */
  readonly looked: number;
  readonly readable: number;
  /** The newest record with an amount. */
  readonly example: { readonly externalId: string; readonly amount: Amount; readonly payment: string | null };
}
