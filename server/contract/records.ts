// Records, their deliveries, and refused calls, as the console shows them.

import type { RecordAmount } from './amounts.ts';
import type { Interface, Status, DeliveryState, Mode, EarlierMethod, Cause, ErrorCode } from './codes.ts';

/**
 * The records of a lane that an act is about. `missing`: the records that a verdict found missing upstream. `some`: at most 500.
 * `sold`: by time of sale, in epoch seconds. `all`: every record that the act can change.
 */
export type RecordChoice =
  | { readonly kind: 'one'; readonly recordId: number }
  | { readonly kind: 'missing'; readonly verdictId: number }
  | { readonly kind: 'some'; readonly recordIds: readonly number[] }
  | { readonly kind: 'sold'; readonly from: number; readonly to: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'all' };

/** Optional parameters of GET /api/records, which also needs `journal`. The console's address bar has the same parameters. */
export interface RecordQuery {
  /** The beginning of an external_id; sorts the list by id. */
  readonly id?: string;
  /** The end of an external_id; sorts the list by id, unless both `from` and `to` are given. */
  readonly idEnd?: string;
  /** An amount as a person types it, such as 12,50. Finds exactly this amount, in any currency. */
  readonly amount?: string;
  readonly interface?: Interface;
  readonly status?: Status;
  readonly delivery?: DeliveryState;
  readonly type?: string;
  /** The id of a till. */
  readonly till?: number;
  /** Sold at or after `from` and before `to`, in epoch seconds. */
  readonly from?: number;
  readonly to?: number;
  readonly order?: 'newest' | 'oldest';
  /** `next` of the previous page. */
  readonly cursor?: string;
  readonly limit?: number;
}

/** GET /api/records */
export interface RecordPage {
  /** A short or empty page is not the end: a slow search continues with the next page. */
  readonly records: readonly RecordSummary[];
  /** Null at the end. */
  readonly next: string | null;
  /** The number of all matches; null if it is costly to count, and after the first page. */
  readonly total: number | null;
  /** For a search by amount: whether amounts of old records are still being read, so that the search may miss some. */
  readonly isFilling: boolean;
}

/** A record as lists show it, without its body. */
export interface RecordSummary {
  readonly recordId: number;
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  /** The key that sent it. */
  readonly keyId: number;
  readonly interface: Interface;
  /** Version of the end point; null, like `method`, on the current interface. */
  readonly version: string | null;
  readonly method: EarlierMethod | null;
  readonly status: Status;
  readonly originalId: number | null;
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  readonly receivedAt: number;
  readonly bytes: number;
  readonly amount: RecordAmount;
  /**
   * `ahead`: by the till's clock, the sale was over `AHEAD_MINUTES` after the record's arrival. `late`: the sale was over
   * `LATE_HOURS` before the arrival. `gateway`: the clock of the gateway's machine was wrong.
   */
  readonly clock: ClockFlag | undefined;
  /** Null for a record that is not forwarded. */
  readonly delivery: Delivery | null;
}

/** Difference between the till's clock and the gateway's from which a record is flagged. */
export const AHEAD_MINUTES = 5;
export const LATE_HOURS = 48;

export type ClockFlag = 'ahead' | 'late' | 'gateway';

/** The forwarding state of a record. */
export interface Delivery {
  readonly state: DeliveryState;
  /** Number of answers about this record. The fields below describe the last answer. */
  readonly attempts: number;
  readonly answeredAt: number | null;
  /** HTTP status. */
  readonly answerStatus: number | null;
  /** The text of a rejecting answer. */
  readonly answer: string | null;
  /** Why the upstream did not accept the record, if the reason is not an answer about this record. */
  readonly cause: Cause | null;
  /**
   * The upstream's own classification, if its answer has one. IGNORED: the upstream already had the record. ERROR: it has another
   * record with this id.
   */
  readonly upstreamStatus: Status | null;
  /** The reason that a person gave for setting the record aside. */
  readonly reason: string | null;
}

/** Maximum listed differences between a resent record and its original. */
export const MAX_DIFFERENCES = 50;

export const MAX_REPEATS = 50;

/** GET /api/records/ID */
export interface RecordDetail {
  readonly record: RecordSummary;
  /** As received, with U+FFFD for bytes that are not UTF-8. GET /api/records/ID/body has the exact bytes. */
  readonly body: string;
  /** Whether the bytes of the record and its original are unchanged on the disk. If not, no differences are listed. */
  readonly isIntact: boolean;
  /** The payment method as the till wrote it; null without one, or without a rule that says where it stands. */
  readonly payment: string | null;
  /** For a duplicate: its original. `differences` lists at most `MAX_DIFFERENCES`. */
  readonly original: { readonly record: RecordSummary; readonly body: string } | null;
  readonly differences: readonly Difference[];
  /** For an original: its duplicates, newest first, at most `MAX_REPEATS`. */
  readonly repeats: readonly RecordSummary[];
  readonly hasMoreRepeats: boolean;
}

/**
 * A place where a resent record differs from its original: a JSON pointer into the body or, on the earlier interface, into
 * its parameters. Values are JSON text as sent; null if there is no value.
 */
export interface Difference {
  readonly pointer: string;
  readonly original: string | null;
  readonly resent: string | null;
}

/** GET /api/refusals?journal=ID[&from=EPOCH SECONDS]: one group per cause, latest first. */
export interface RefusalGroup {
  readonly code: ErrorCode;
  /** The till of the key that the caller sent; null for an unknown key. */
  readonly till: string | null;
  readonly keyId: number | null;
  readonly address: string;
  readonly calls: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** This field and the following ones are from the latest refusal. */
  readonly method: string;
  readonly path: string;
  readonly detail: string;
  readonly excerpt: string;
}
