// The verdict of a store day: its basis, its reasons and its notes.

import type { Amount } from './amounts.ts';
import type { Cause } from './codes.ts';

export const VERDICTS = ['complete', 'waiting', 'differs', 'cannot tell'] as const;

/** The result of reconciling a store day. */
export type Verdict = (typeof VERDICTS)[number];

export const CHECK_BASES = ['counts', 'ids'] as const;

/**
 * What a check compared with the upstream: only the number of records, or every id. If only the numbers are compared, a record
 * of another sender can hide a missing record, because the numbers are then equal.
 */
export type CheckBasis = (typeof CHECK_BASES)[number];

export const BASES = [...CHECK_BASES, 'answers'] as const;

/**
 * The basis of a verdict. The earlier interface has no query. So the verdict uses the answers that the upstream gave to the
 * records of that interface.
 */
export type Basis = (typeof BASES)[number];

/** The differences that follow from a declared total. */
export const DECLARED_CODES = ['declared_more', 'declared_less', 'amount_more', 'amount_less'] as const;

/** The reasons for the verdict `differs`. */
export const DIFFERENCE_CODES = [
  'missing_upstream',
  'held',
  'set_aside',
  'earlier_held',
  'earlier_set_aside',
  'missing_here',
  'twice_upstream',
  'other_upstream',
  ...DECLARED_CODES,
] as const;

export const REASON_CODES = [
  // Waiting.
  'not_over',
  'on_the_way',
  'earlier_on_the_way',
  'settling',
  'not_seen_yet',
  'to_be_checked',
  'late_records',
  'sent_again',
  'amount_filling',
  ...DIFFERENCE_CODES,
  // Cannot tell.
  'damaged_here',
  'amount_unreadable',
  'amount_no_rule',
  'amount_no_currency',
  'no_upstream',
  'earlier_no_upstream',
  'upstream_silent',
  'upstream_unreadable',
] as const;

/** The code of a reason for a verdict. A code that begins with `earlier_` is about records of the earlier interface. */
export type ReasonCode = (typeof REASON_CODES)[number];

export interface Reason {
  readonly code: ReasonCode;
  /** Number of records. */
  readonly count?: number;
  /**
   * Per currency: how much more or less was declared than the records contain. The numbers are always positive, because the
   * reason's code says whether it is more or less.
   */
  readonly amounts?: readonly Amount[];
  /** Time of the next automatic check. */
  readonly until?: number;
  /** Why the upstream gave no usable answer, or why records do not arrive upstream. */
  readonly cause?: Cause;
}

export const NOTE_CODES = ['listed_twice', 'counted_twice', 'others_upstream'] as const;

/**
 * Facts that a check found but that are not a difference. `listed_twice`: the upstream lists a record twice. `counted_twice`:
 * the upstream counts more records than it lists, because some were sent twice. `others_upstream`: other senders sent records.
 */
export type NoteCode = (typeof NOTE_CODES)[number];

export interface Note {
  readonly code: NoteCode;
  readonly count: number;
}
