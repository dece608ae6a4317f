// Skipped numbers in ascending ids. A skipped number is a hint that a sale is missing.

export const SURENESS = ['likely', 'almost certain'] as const;

/** How sure the gateway is of a finding. It only derives findings from past sales, so a finding can be wrong. */
export type Sureness = (typeof SURENESS)[number];

/**
 * Answer of GET /api/days/DATE/gaps?journal=ID: the skipped numbers in ascending ids. A gap is within the day, or between the
 * day and one of its two neighbours. Gaps never change a verdict.
 */
export interface GapsView {
  readonly sequences: readonly SequenceView[];
  /** True if the day had too many records to read them all, so gaps may be missing from the list. */
  readonly isPartial: boolean;
}

/** Ascending ids with a common prefix, such as T3-000412. */
export interface SequenceView {
  readonly prefix: string;
  /** Labels of the tills whose ids have this prefix. */
  readonly tills: readonly string[];
  /**
   * `first` is the lowest id of the day, and `last` the highest. If the day has no ids, `first` and `last` are taken from the
   * days before and after.
   */
  readonly first: string;
  readonly last: string;
  /** Number of ids of the day that are stored here. */
  readonly here: number;
  readonly skipped: number;
  /** The first gaps of the day. `skipped` is the number of skipped ids in all gaps. */
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
