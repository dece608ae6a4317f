// Records, their deliveries, and refused calls, as the console shows them.

import type { RecordAmount } from './amounts.ts';
import type { Interface, Status, DeliveryState, Mode, EarlierMethod, Cause, ErrorCode, FieldFault } from './codes.ts';

/**
 * Says which records of a lane an act changes. `missing`: the records that a verdict found missing upstream. `some`: at most
 * 500 records. `sold`: records sold in a range of epoch seconds. `all`: every record that the act can change.
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
  /** The beginning of an external_id. If it is given, the list is sorted by id. */
  readonly id?: string;
  /** The end of an external_id. The list is then sorted by id, unless `from` and `to` are both given. */
  readonly idEnd?: string;
  /** An amount as a person types it, such as 12,50. Finds records with exactly this amount, in any currency. */
  readonly amount?: string;
  readonly interface?: Interface;
  readonly status?: Status;
  readonly delivery?: DeliveryState;
  readonly type?: string;
  /** The id of a till. */
  readonly till?: number;
  /** Only records sold at or after `from` and before `to`, in epoch seconds. */
  readonly from?: number;
  readonly to?: number;
  readonly order?: 'newest' | 'oldest';
  /** The value of `next` in the answer with the previous page. */
  readonly cursor?: string;
  readonly limit?: number;
}

/** GET /api/records */
export interface RecordPage {
  /**
   * The records of the page. If `next` is set, a short or empty page is not the last page: a slow search continues on the next
   * page.
   */
  readonly records: readonly RecordSummary[];
  /** The cursor of the next page. Null on the last page. */
  readonly next: string | null;
  /** The number of all matches. Null on later pages, and if counting would be slow. */
  readonly total: number | null;
  /** Whether a search by amount may miss records, because the gateway is still reading old amounts. */
  readonly isFilling: boolean;
}

/** A record in a list, without its body. */
export interface RecordSummary {
  readonly recordId: number;
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  /** The id of the key that sent the record. */
  readonly keyId: number;
  readonly interface: Interface;
  /** The version of the end point. `version` and `method` are null on the current interface. */
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
   * `ahead`: the till dated the sale more than `AHEAD_MINUTES` after the arrival of the record. `late`: the sale was more than
   * `LATE_HOURS` before the arrival. `gateway`: the clock of the gateway's machine was wrong.
   */
  readonly clock: ClockFlag | undefined;
  /** The forwarding state; null if the record is not forwarded. */
  readonly delivery: Delivery | null;
}

/** A record is flagged if its sale is dated more than AHEAD_MINUTES after its arrival, or more than LATE_HOURS before it. */
export const AHEAD_MINUTES = 5;
export const LATE_HOURS = 48;

export type ClockFlag = 'ahead' | 'late' | 'gateway';

/** The forwarding state of a record. */
export interface Delivery {
  readonly state: DeliveryState;
  /** Number of answers from the upstream about this record. The next members are about the last answer. */
  readonly attempts: number;
  readonly answeredAt: number | null;
  /** HTTP status. */
  readonly answerStatus: number | null;
  /** The text of the upstream's answer, if the upstream rejected this record. */
  readonly answer: string | null;
  /** The reason why the upstream did not accept the record. Null if the upstream rejected this record itself. */
  readonly cause: Cause | null;
  /**
   * The status that the upstream gave the record; null if its answer has none. IGNORED: the upstream already had the record.
   * ERROR: the upstream has another record with this id.
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
  /** The body as text, with U+FFFD for bytes that are not UTF-8. GET /api/records/ID/body has the exact bytes. */
  readonly body: string;
  /** Whether the bytes of the record and its original are unchanged on the disk. If not, no differences are listed. */
  readonly isIntact: boolean;
  /** Whether a body is in an archive file that cannot be read now. That body is empty here, and no differences are listed. */
  readonly isUnreadable: boolean;
  /** The payment method as the till wrote it. Null if the record has none, or if the rule does not say where it is. */
  readonly payment: string | null;
  /** For a duplicate: its original. Null for any other record. `differences` has at most `MAX_DIFFERENCES` entries. */
  readonly original: { readonly record: RecordSummary; readonly body: string } | null;
  readonly differences: readonly Difference[];
  /** For an original: its duplicates, newest first, at most `MAX_REPEATS`. */
  readonly repeats: readonly RecordSummary[];
  readonly hasMoreRepeats: boolean;
}

/**
 * A place where a resent record differs from its original. `pointer` is a JSON pointer into the body or, on the earlier
 * interface, into the parameters. The two values are JSON text as the till sent them. A value is null if that record has no
 * value at `pointer`.
 */
export interface Difference {
  readonly pointer: string;
  readonly original: string | null;
  readonly resent: string | null;
}

/**
 * Answer of GET /api/refusals?journal=ID[&from=EPOCH SECONDS]: refusals in groups, one for each cause. The group with the
 * latest refusal is first.
 */
export interface RefusalGroup {
  readonly code: ErrorCode;
  /** The till whose key the caller sent. Null for an unknown key. */
  readonly till: string | null;
  readonly keyId: number | null;
  readonly address: string;
  readonly calls: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** This member and all members below come from the latest refusal of the group. */
  readonly method: string;
  readonly path: string;
  readonly detail: string;
  readonly excerpt: string;
  /** The faults behind `detail`, at most `MAX_KEPT_FAULTS`. Empty if the refusal is not about fields. */
  readonly faults: readonly FieldFault[];
}
