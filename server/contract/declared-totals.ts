// Declared totals: the number of sales of a store day that a till or clerk declares, and the import from a file.

/** A declared total that was not withdrawn or replaced, compared with the records here. */
export interface DeclaredComparison {
  readonly id: number;
  /** Null means all types; a null till means all tills. */
  readonly type: string | null;
  readonly tillId: number | null;
  readonly till: string | null;
  readonly records: number;
  /** NEW records here of this type and till. */
  readonly here: number;
  readonly source: DeclaredSource;
  readonly actor: string;
  readonly at: number;
  /**
   * If ids were declared: the declared ids without a record here, and the ids here that were not declared (at most `MAX_LISTED`
   * each).
   */
  readonly ids: {
    readonly missing: readonly string[];
    readonly missingCount: number;
    readonly undeclared: readonly string[];
    readonly undeclaredCount: number;
  } | null;
}

export const DECLARED_SOURCES = ['typed', 'file', 'till'] as const;

export type DeclaredSource = (typeof DECLARED_SOURCES)[number];

/** Body of PUT /api/declared-totals: null withdraws a total. Any date is valid. */
export interface DeclaredTotalRequest {
  readonly journal: number;
  readonly date: string;
  readonly type?: string;
  readonly tillId?: number;
  readonly records: number | null;
}

export const DECLARED_FAULT_CODES = [
  'nothing_there',
  'columns_unknown',
  'cells_wrong',
  'day_unreadable',
  'count_unreadable',
  'id_unreadable',
  'type_unreadable',
  'till_unknown',
  'repeated',
] as const;

/** The fault of a line in a file of declared totals. */
export type DeclaredFaultCode = (typeof DECLARED_FAULT_CODES)[number];

/**
 * Body of POST /api/declared-totals/import: the text of a CSV file. With `isTrial` the gateway only reads the file and stores
 * nothing.
 */
export interface DeclaredImportRequest {
  readonly journal: number;
  readonly text: string;
  readonly isTrial: boolean;
}

/** Answer of POST /api/declared-totals/import. With any fault nothing is stored. */
export interface DeclaredImport {
  /** The heading of each recognised column; null if the file has no such column. */
  readonly columns: Readonly<Record<'day' | 'count' | 'id' | 'type' | 'till', string | null>>;
  /** Sorted by day. */
  readonly totals: readonly (Pick<DeclaredComparison, 'type' | 'till' | 'records'> & {
    readonly date: string;
    readonly hasIds: boolean;
  })[];
  readonly faults: readonly { readonly line: number; readonly code: DeclaredFaultCode; readonly value: string }[];
}
