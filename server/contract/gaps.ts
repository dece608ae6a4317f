// Skipped numbers in ascending ids, which hint at missing sales.

export const SURENESS = ['likely', 'almost certain'] as const;

/** How sure the gateway is of a finding that it derived from past sales. */
export type Sureness = (typeof SURENESS)[number];

/**
 * GET /api/days/DATE/gaps?journal=ID: skipped numbers in ascending ids, within the day or between it and the next or previous
 * day. They never change a verdict.
 */
export interface GapsView {
  readonly sequences: readonly SequenceView[];
  /** True if the day had too many records to read them all, so gaps may be missing from the list. */
  readonly isPartial: boolean;
}

/** Ascending ids with a common prefix, such as T3-000412. */
export interface SequenceView {
  readonly prefix: string;
  /** Labels of the tills that use the prefix. */
  readonly tills: readonly string[];
  /** The lowest and highest id of the day, or of the days around it if the day has none. */
  readonly first: string;
  readonly last: string;
  /** Number of stored ids of the day. */
  readonly here: number;
  readonly skipped: number;
  /** The first skipped ids. */
  readonly gaps: readonly GapView[];
  readonly sureness: Sureness;
}

/** A range of skipped ids, both ends included. */
export interface GapView {
  readonly from: string;
  readonly to: string;
  /** The dates of the two days around the gap; null if the gap is within one day. */
  readonly between: readonly [string, string] | null;
}
