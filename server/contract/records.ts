// Records, their deliveries, and refused calls, as the console shows them.

import type { Interface, Status, DeliveryState, Mode, EarlierMethod, Cause, ErrorCode } from './codes.ts';

/**
 * Which records of a lane: one, those that a verdict found missing upstream, some (500 at the most), those sold in a range of
 * epoch seconds, those that are held, or all that the act can be about.
 */
export type RecordChoice =
  | { readonly kind: 'one'; readonly recordId: number }
  | { readonly kind: 'missing'; readonly verdictId: number }
  | { readonly kind: 'some'; readonly recordIds: readonly number[] }
  | { readonly kind: 'sold'; readonly from: number; readonly to: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'all' };

/** What GET /api/records takes besides `journal`, all of it optional; the console's address bar holds the same. */
export interface RecordQuery {
  /** The beginning of an external_id; the list is then in the order of ids. */
  readonly id?: string;
  readonly interface?: Interface;
  readonly status?: Status;
  readonly delivery?: DeliveryState;
  readonly type?: string;
  /** Of a till. */
  readonly till?: number;
  /** Sold at or after, and before; epoch seconds. */
  readonly from?: number;
  readonly to?: number;
  readonly order?: 'newest' | 'oldest';
  /** From the page before. */
  readonly cursor?: string;
  readonly limit?: number;
}

/** GET /api/records */
export interface RecordPage {
  /** Fewer than asked for, or none, do not mean the end: a search that takes long goes on with the next page. */
  readonly records: readonly RecordSummary[];
  /** Null at the end. */
  readonly next: string | null;
  /** How many there are in all; null where counting would take reading them, and after the first page. */
  readonly total: number | null;
}

/** A record as lists show it, without its body. */
export interface RecordSummary {
  readonly recordId: number;
  readonly administration: string;
  readonly mode: Mode;
  readonly till: string;
  readonly interface: Interface;
  /** Of the end point, as is `method`; null on the current interface. */
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
  /** Whether the till's clock is far off, the record comes late, or the gateway's own clock was wrong; undefined when none. */
  readonly clock: ClockFlag | undefined;
  /** Null for a record that is not forwarded. */
  readonly delivery: Delivery | null;
}

export type ClockFlag = 'ahead' | 'late' | 'gateway';

/** How far a record has come on its way upstream. */
export interface Delivery {
  readonly state: DeliveryState;
  /** Answers that were about this record; the rest is of the last of them. */
  readonly attempts: number;
  readonly answeredAt: number | null;
  /** HTTP status. */
  readonly answerStatus: number | null;
  /** What a refusing answer said, in its own words. */
  readonly answer: string | null;
  /** Why it was not taken, where that is no answer about this very record. */
  readonly cause: Cause | null;
  /** What the upstream classified it as, where it says so: anything but NEW is a difference from here. */
  readonly upstreamStatus: Status | null;
  /** Why it was set aside. */
  readonly reason: string | null;
}

/** So many places in which a resent record differs are listed; what differs beyond them is not named. */
export const MAX_DIFFERENCES = 50;

export const MAX_REPEATS = 50;

/** GET /api/records/ID */
export interface RecordDetail {
  readonly record: RecordSummary;
  /** As received; bytes that are no UTF-8 are shown as U+FFFD. GET /api/records/ID/body has them as they are. */
  readonly body: string;
  /** Whether the bytes on disk, of the original too, are still those that came; where not, no differences are told. */
  readonly isIntact: boolean;
  /** Of a duplicate, the record it repeats, and where they differ (`MAX_DIFFERENCES` places). */
  readonly original: { readonly record: RecordSummary; readonly body: string } | null;
  readonly differences: readonly Difference[];
  /** Of an original, those that repeat it, the newest first (`MAX_REPEATS`). */
  readonly repeats: readonly RecordSummary[];
  readonly hasMoreRepeats: boolean;
}

/**
 * A place where a resent record differs from its original: a JSON pointer into the body or, on the earlier interface, into
 * its parameters. Values are JSON text as it was sent, null where there is none.
 */
export interface Difference {
  readonly pointer: string;
  readonly original: string | null;
  readonly resent: string | null;
}

/** GET /api/refusals?journal=ID[&from=EPOCH SECONDS]: those of one cause together, the latest first. */
export interface RefusalGroup {
  readonly code: ErrorCode;
  /** The till whose key was used; null where the key is not known. */
  readonly till: string | null;
  readonly keyId: number | null;
  readonly address: string;
  readonly calls: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Of the latest. */
  readonly method: string;
  readonly path: string;
  readonly detail: string;
  readonly excerpt: string;
}
