// Declared totals: a till or clerk declares the number of sales of a store day, and perhaps their amounts. Also the import of
// such totals from a file.

import type { Amount } from './amounts.ts';

/** A declared total that has not been withdrawn or replaced, compared with the records of this gateway. */
export interface DeclaredComparison {
  readonly id: number;
  /** The record type; null means all types. `till` is the till; null means all tills. */
  readonly type: string | null;
  readonly tillId: number | null;
  readonly till: string | null;
  readonly records: number;
  /** Number of NEW records of this type and till in the gateway. */
  readonly here: number;
  /**
   * The declared amounts, each compared with the sum of the records, one entry per currency. Empty if no amounts were declared.
   */
  readonly amounts: readonly AmountComparison[];
  /** Why some or all amounts cannot be compared; null if all can. */
  readonly amountGap: AmountGap | null;
  readonly source: DeclaredSource;
  readonly actor: string;
  readonly at: number;
  /**
   * The differences by id; null if the total was declared without ids. `missing` has the declared ids that have no record in
   * this gateway. `undeclared` has the ids of records in this gateway that were not declared. Each list has at most
   * `MAX_LISTED` ids, and all lists of a day together at most `MAX_LISTED_IN_DAY`.
   */
  readonly ids: {
    readonly missing: readonly string[];
    readonly missingCount: number;
    readonly undeclared: readonly string[];
    readonly undeclaredCount: number;
  } | null;
}

/** The declared amount in one currency, compared with the sum of the records. All values are decimals. */
export interface AmountComparison {
  /** A code of three capital letters; null for amounts without a currency. */
  readonly currency: string | null;
  /** The declared amount; null if none was declared in this currency. */
  readonly declared: string | null;
  /** The sum of the records; null if it is unknown. Then `amountGap` says why. */
  readonly here: string | null;
  /**
   * `declared` minus `here`. If nothing was declared in this currency, `declared` counts as zero. Null if `here` is unknown.
   */
  readonly difference: string | null;
}

/**
 * `filling`: the gateway is still reading old amounts. `no rule`: the types of this number of records have no amount rule.
 * `unreadable`: for this number of records there is no amount, because it cannot be read or because their type has no rule. `no
 * currency`: only one side has a currency.
 */
export type AmountGap =
  | { readonly kind: 'filling' | 'no currency' }
  | { readonly kind: 'unreadable' | 'no rule'; readonly records: number };

export const DECLARED_SOURCES = ['typed', 'file', 'till'] as const;

export type DeclaredSource = (typeof DECLARED_SOURCES)[number];

/** Body of PUT /api/declared-totals. `records: null` withdraws the total. Any date is allowed. */
export interface DeclaredTotalRequest {
  readonly journal: number;
  readonly date: string;
  readonly type?: string;
  readonly tillId?: number;
  readonly records: number | null;
  /** At most one amount per currency, each a decimal with a point. */
  readonly amounts?: readonly Amount[];
}

/** Maximum currencies of a declared total. */
export const MAX_CURRENCIES = 20;

/** The possible meanings of a column in a file of declared totals. */
export const DECLARED_ROLES = ['day', 'count', 'id', 'amount', 'currency', 'till', 'type'] as const;

export type DeclaredRole = (typeof DECLARED_ROLES)[number];

/** The position of each column, counted from 0; null if the file does not have it. A file has counts or ids, never both. */
export type DeclaredColumns = Readonly<Record<DeclaredRole, number | null>>;

export const DATE_ORDERS = ['day first', 'month first'] as const;
/** The order of day and month in dates with slashes, as in 4/11/2026. */
export type DateOrder = (typeof DATE_ORDERS)[number];

export const DECIMAL_SIGNS = ['.', ','] as const;
export type DecimalSign = (typeof DECIMAL_SIGNS)[number];

/**
 * How to read a file. If an optional member is missing, the gateway derives it from the file. A cell that then has two possible
 * meanings is a fault.
 */
export interface DeclaredChoice {
  readonly columns: DeclaredColumns;
  readonly dateOrder?: DateOrder;
  readonly decimalSign?: DecimalSign;
  /** The currency for lines of the file that name no currency. It is a code of three capital letters. */
  readonly currency?: string;
}

export const DECLARED_FAULT_CODES = [
  'nothing_there',
  'columns_unknown',
  'cells_wrong',
  'day_unreadable',
  'count_unreadable',
  'id_unreadable',
  'amount_unreadable',
  'currency_unreadable',
  'type_unreadable',
  'till_unknown',
  'repeated',
] as const;

/** The fault of a line in a file of declared totals. */
export type DeclaredFaultCode = (typeof DECLARED_FAULT_CODES)[number];

/**
 * Body of POST /api/declared-totals/import: the text of a CSV file. With `isTrial`, the gateway reads the file but stores
 * nothing. A trial without `choice` suggests one; a real import needs `choice`.
 */
export interface DeclaredImportRequest {
  readonly journal: number;
  readonly text: string;
  readonly isTrial: boolean;
  readonly choice?: DeclaredChoice;
}

/** Answer of POST /api/declared-totals/import. If there is any fault, nothing is stored. */
export interface DeclaredImport {
  /** The cells of the first line, if it contains headings; otherwise null. */
  readonly headings: readonly string[] | null;
  /** The first lines of data, below the headings. */
  readonly sample: readonly (readonly string[])[];
  /** The columns from the request. If the request has no choice, the columns that the gateway suggests. */
  readonly columns: DeclaredColumns;
  /** The totals in the file, sorted by day. */
  readonly totals: readonly (Pick<DeclaredComparison, 'type' | 'till' | 'records'> & {
    readonly date: string;
    readonly hasIds: boolean;
    readonly amounts: readonly Amount[];
  })[];
  readonly faults: readonly { readonly line: number; readonly code: DeclaredFaultCode; readonly value: string }[];
}
