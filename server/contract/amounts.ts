// Amounts of money: the rules that say where records contain them, and their sums. An amount is an exact decimal as text, such
// as -12.50. It is never a JavaScript number.

/**
 * How the sign of a total counts. With `negative`, a total always reduces the sum, even if the till sends it without a minus
 * sign. It is for types whose records are all refunds.
 */
export const AMOUNT_SIGNS = ['as sent', 'negative'] as const;
export type AmountSign = (typeof AMOUNT_SIGNS)[number];

/**
 * Says where records of one type contain their amount. The rule applies to both journals of an administration. Its pointers are
 * JSON pointers into the body, or into the parameters on the earlier interface.
 */
export interface AmountRule {
  readonly type: string;
  /** The JSON pointer to the total. */
  readonly total: string;
  /**
   * The currency: a JSON pointer, which begins with /, or a code of three capital letters for all records. Null if the currency
   * is not known.
   */
  readonly currency: string | null;
  /** The JSON pointer to the payment method; null if the rule has none. */
  readonly payment: string | null;
  readonly sign: AmountSign;
}

/** An amount of money and its currency. */
export interface Amount {
  /** A code of three capital letters; null if the currency is not known. */
  readonly currency: string | null;
  /** An exact decimal. It has at least as many decimal places as the currency. */
  readonly value: string;
}

/**
 * The amount of a record in a list. `unreadable`: the rule finds no amount in the record. `pending`: the rule is new, and the
 * gateway has not read this record yet. Null: the record's type has no rule.
 */
export type RecordAmount = Amount | 'unreadable' | 'pending' | null;

/** The sum of some records' amounts in one currency. */
export interface AmountSum {
  /** A code of three capital letters. Null for the sum of all amounts whose currency is not known. */
  readonly currency: string | null;
  /** The sum of all readable amounts. It has at least as many decimal places as the currency. */
  readonly value: string;
  /** The number of records whose amount cannot be read, or whose type has no rule. `value` does not include them. */
  readonly withoutAmount: number;
}

/**
 * One sum per currency, sorted by currency. Empty if no type has a rule. Null after a new rule, while the gateway is still reading
 * old amounts.
 */
export type AmountSums = readonly AmountSum[] | null;

/** Whether there is a sum to show. False if no amount in this currency could be read. */
export function hasSum({ value, withoutAmount }: AmountSum): boolean {
  return withoutAmount === 0 || !isZero(value);
}

/** Whether an exact decimal is zero, however many places it has. */
export function isZero(value: string): boolean {
  return /^-?[0.]+$/.test(value);
}

/** The number of records of all currencies that no sum includes. */
export function countWithoutAmount(sums: readonly AmountSum[]): number {
  return sums.reduce((count, { withoutAmount }) => count + withoutAmount, 0);
}

/** Compares two currencies for sorting by code; null comes last. */
export function byCurrency(one: string | null, other: string | null): number {
  return one === other ? 0 : one === null || (other !== null && one > other) ? 1 : -1;
}

/**
 * Reads an amount that a person typed, such as 12.5, 12,50 or € 1.234,50, and returns the exact decimal. The last point or
 * comma is the decimal sign, unless the same sign occurs twice. Returns undefined if the text is not an amount.
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

/** Answer of GET /api/amounts?journal=ID and of PUT /api/amounts: the rules of the journal's administration, sorted by type. */
export interface AmountsView {
  readonly rules: readonly AmountRuleState[];
  /** Rules that the gateway proposes for types that have none. */
  readonly suggestions: readonly AmountSuggestion[];
}

/**
 * Body of PUT /api/amounts. The rule applies to both journals of the administration. `rule: null` removes the rule of the type.
 */
export interface AmountRuleRequest {
  readonly journal: number;
  readonly type: string;
  readonly rule: Omit<AmountRule, 'type'> | null;
}

/** A rule that somebody has set, and the progress of reading old amounts with it. */
export interface AmountRuleState extends AmountRule {
  /** The progress of reading old amounts: `done` of `total` records. Null when all are read. */
  readonly fill: { readonly done: number; readonly total: number } | null;
}

/** A rule that the gateway proposes, and the result of trying it on records. */
export interface AmountSuggestion {
  readonly rule: AmountRule;
  /**
   * The number of records on which the gateway tried the rule. `readable` says in how many of them the rule finds an amount.
   */
  readonly looked: number;
  readonly readable: number;
  /** The newest record in which the rule finds an amount. */
  readonly example: { readonly externalId: string; readonly amount: Amount; readonly payment: string | null };
}
