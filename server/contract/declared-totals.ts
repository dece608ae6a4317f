// Declared totals: the number of sales of a store day that a till or clerk declares, with their amounts, and the import from a
// file.

import type { Amount } from './amounts.ts';

/** A declared total that is still valid, compared with the records of this gateway. */
export interface DeclaredComparison {
  readonly id: number;
  /** The record type; null means all types. `till` is the till; null means all tills. */
  readonly type: string | null;
  readonly tillId: number | null;
  readonly till: string | null;
  readonly records: number;
  /** Number of NEW records of this type and till in the gateway. */
  readonly here: number;
  /** Empty if no amounts are declared. Otherwise also the currencies that are here and not declared. */
  readonly amounts: readonly AmountComparison[];
  /** Why amounts cannot be compared, or not all of them; null if they can. */
  readonly amountGap: AmountGap | null;
  readonly source: DeclaredSource;
  readonly actor: string;
  readonly at: number;
  /**
   * The differences by id; null if the total was declared without ids. `missing` has declared ids that have no record here.
   * `undeclared` has ids of records here that were not declared. Each list has at most `MAX_LISTED` ids.
   */
  readonly ids: {
    readonly missing: readonly string[];
    readonly missingCount: number;
    readonly undeclared: readonly string[];
    readonly undeclaredCount: number;
  } | null;
}

/** The declared amount of a currency and the sum of the records here, as decimals. */
export interface AmountComparison {
  /** Null for amounts without a currency. */
  readonly currency: string | null;
  /** Null if only other currencies are declared. */
  readonly declared: string | null;
  /** Null if it is unknown, because of the gap. */
  readonly here: string | null;
  /** Declared minus here; a missing declared amount counts as zero. Null if `here` is unknown. */
  readonly difference: string | null;
}

/**
 * `filling`: amounts of old records are still being read. `no rule`: no rule says where the amount of some of these records
 * stands, or only one side has a currency. `unreadable`: this number of records has no readable amount.
 */
export type AmountGap =
  | { readonly kind: 'filling' | 'no rule' }
  | { readonly kind: 'unreadable'; readonly records: number };

export const DECLARED_SOURCES = ['typed', 'file', 'till'] as const;

export type DeclaredSource = (typeof DECLARED_SOURCES)[number];

/** Body of PUT /api/declared-totals. `records: null` withdraws the total. Any date is allowed. */
export interface DeclaredTotalRequest {
  readonly journal: number;
  readonly date: string;
  readonly type?: string;
  readonly tillId?: number;
  readonly records: number | null;
  /** At most one per currency. The value is a decimal with a point. */
  readonly amounts?: readonly Amount[];
}

/** Maximum currencies of a declared total. */
export const MAX_CURRENCIES = 20;

/** The meaning of a column in a file of declared totals. */
export const DECLARED_ROLES = ['day', 'count', 'id', 'amount', 'currency', 'till', 'type'] as const;

export type DeclaredRole = (typeof DECLARED_ROLES)[number];

/** The position of each column, from 0; null if the file has no such column. A file has a column of counts or of ids, not both. */
export type DeclaredColumns = Readonly<Record<DeclaredRole, number | null>>;

export const DATE_ORDERS = ['day first', 'month first'] as const;
/** How dates with slashes are written, as 4/11/2026. */
export type DateOrder = (typeof DATE_ORDERS)[number];

export const DECIMAL_SIGNS = ['.', ','] as const;
export type DecimalSign = (typeof DECIMAL_SIGNS)[number];

/** How to read a file. A missing member is read from the file itself; then an ambiguous cell is a fault. */
export interface DeclaredChoice {
  readonly columns: DeclaredColumns;
  readonly dateOrder?: DateOrder;
  readonly decimalSign?: DecimalSign;
  /** The currency of lines that name none: a code of three capital letters. */
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
 * Body of POST /api/declared-totals/import: the text of a CSV file. A trial only reads the file and stores nothing; without a
 * choice, it suggests one. An import needs the choice of a person.
 */
export interface DeclaredImportRequest {
  readonly journal: number;
  readonly text: string;
  readonly isTrial: boolean;
  readonly choice?: DeclaredChoice;
}

/** Answer of POST /api/declared-totals/import. With any fault nothing is stored. */
export interface DeclaredImport {
  /** The cells of the first line if it is a heading; otherwise null. */
  readonly headings: readonly string[] | null;
  /** The first lines below the heading. */
  readonly sample: readonly (readonly string[])[];
  /** The chosen columns, or the suggested ones. */
  readonly columns: DeclaredColumns;
  /** Sorted by day. */
  readonly totals: readonly (Pick<DeclaredComparison, 'type' | 'till' | 'records'> & {
    readonly date: string;
    readonly hasIds: boolean;
    readonly amounts: readonly Amount[];
  })[];
  readonly faults: readonly { readonly line: number; readonly code: DeclaredFaultCode; readonly value: string }[];
}
