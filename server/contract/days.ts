// Store days with their verdicts, checks and sign-offs. Dates are YYYY-MM-DD.

import type { AmountSums } from './amounts.ts';
import type { StatusCounts, DeliveryState, Cause, Interface } from './codes.ts';
import type { AmountComparison, DeclaredComparison } from './declared-totals.ts';
import type { Outage } from './lanes.ts';
import type { Sleep } from './machine.ts';
import type { Basis, Note, Reason, Verdict } from './verdicts.ts';

/** When the store days of an administration begin. */
export interface DayRule {
  /** IANA name. */
  readonly timeZone: string;
  /** The cut-off, in minutes after midnight. */
  readonly dayStartsAt: number;
}

/** A rule, with the day on which it begins. It applies until the next rule begins. */
export interface DayRulePeriod extends DayRule {
  /**
   * `date` is the first day for which the rule applies; `at` is the start of that day, in epoch seconds. Null for the oldest
   * rule, because it also applies to all earlier days.
   */
  readonly since: { readonly date: string; readonly at: number } | null;
}

/** The rules, oldest first. There is always at least one. */
export type DayRules = readonly DayRulePeriod[];

/** A store day as a range of time. The instant `to` is not part of the day. */
export interface StoreDay {
  /** YYYY-MM-DD */
  readonly date: string;
  /** The start of the day. `from` and `to` are in epoch seconds. */
  readonly from: number;
  readonly to: number;
}

/** The summary of a store day. */
export interface DaySummary extends StoreDay {
  readonly verdict: Verdict;
  /**
   * True while the verdict may still change automatically: because the day is not over, or because the upstream may not show
   * some records yet.
   */
  readonly isProvisional: boolean;
  /** The reasons for the verdict, most serious first; empty for a complete day. */
  readonly reasons: readonly Reason[];
  readonly notes: readonly Note[];
  /**
   * What was compared for the verdict. `answers`: all records of the day came by the earlier interface, so only the upstream's
   * answers were counted. Null if the upstream gave no answer.
   */
  readonly basis: Basis | null;
  /** Number of NEW records of the day, of both interfaces. */
  readonly here: number;
  /** The sums of the amounts of the records that `here` counts. */
  readonly amounts: AmountSums;
  /**
   * The number of records in `here` that came by the earlier interface. The gateway cannot query the upstream for these
   * records.
   */
  readonly earlier: number;
  /** Number of records in `earlier` that the upstream accepted, according to its answers. */
  readonly earlierTaken: number;
  /**
   * Number of records of the day that the upstream has, of both interfaces. It is the number that the last check counted (at
   * `checkedAt`), plus `earlierTaken`.
   */
  readonly upstream: number | null;
  readonly checkedAt: number | null;
  /** Time of the last check that compared every id. */
  readonly passedAt: number | null;
  readonly declared: number | null;
  /**
   * The declared amounts, each compared with the sum of the records, one entry per currency. Empty if no amounts were declared.
   */
  readonly declaredAmounts: readonly AmountComparison[];
  /** A digest of the facts that a signature covers. A sign-off is valid while the digest stays the same. */
  readonly signedFor: string;
  /** The sign-off of the day; null if nobody has signed the day off. */
  readonly signOff: SignOff | null;
}

/**
 * Whether the only difference is that the upstream has more records than this gateway. Other senders may have sent those
 * records.
 */
export function isOnlyOfOthers({ reasons }: Pick<DaySummary, 'reasons'>): boolean {
  return reasons.length > 0 && reasons.every(({ code }) => code === 'missing_here');
}

export interface SignOff {
  readonly at: number;
  readonly actor: string;
  /** The name of the signer. */
  readonly name: string;
  readonly note: string;
  /** Whether the day has changed since the signature: late records came, or the verdict is another one. */
  readonly isReopened: boolean;
}

/**
 * Answer of GET /api/days?journal=ID&from=DATE&to=DATE. Both dates are included; at most 400 days. The days are ordered oldest
 * first.
 */
export interface DaysView {
  readonly now: number;
  /** The current store day. */
  readonly today: string;
  /**
   * The first store day with a sale, a declared total or a check; null without one. Leaves out sales that a wrong clock dated
   * before 1970.
   */
  readonly first: string | null;
  readonly days: readonly DaySummary[];
  readonly checks: readonly DayCheck[];
}

/** Lists the days that have a verdict for people: from `first` to today. */
export function listJudged({ days, first, today }: Pick<DaysView, 'days' | 'first' | 'today'>): DaySummary[] {
  return days.filter(({ date }) => first !== null && date >= first && date <= today);
}

/** A check of some store days that has not ended yet. A user or the gateway has started it. */
export interface DayCheck {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly byIds: boolean;
  readonly resend: boolean;
  readonly actor: string;
  readonly askedAt: number;
  /** The day that is checked now. */
  readonly next: string;
  /** Time when the check began to wait for the upstream, because of `cause`. Null if it does not wait. */
  readonly stalledAt: number | null;
  readonly cause: Cause | null;
}

/** Body of POST /api/checks, which answers with a DayCheck. */
export interface CheckRequest {
  readonly journal: number;
  readonly from: string;
  readonly to: string;
  /** True to compare every id; false to compare only the counts. */
  readonly byIds: boolean;
  /**
   * Whether to send missing records again, even within four hours after the end of the day or the upstream's last answer.
   * Within this time, the upstream may not show all records yet. Only managers may do this.
   */
  readonly resend?: boolean;
}

export const FINDING_KINDS = ['missing upstream', 'missing here', 'twice upstream', 'other upstream'] as const;

/**
 * The kind of difference in a record that a check found. `other upstream`: the upstream has the record with another type or
 * time.
 */
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  /** The record of this gateway. Null if only the upstream has it. */
  readonly record: { readonly recordId: number; readonly till: string; readonly delivery: DeliveryState | null } | null;
}

/** GET /api/days/DATE?journal=ID */
export interface DayView {
  readonly day: DaySummary;
  /** Number of all records of the day by status, for both interfaces together. */
  readonly records: StatusCounts;
  /** Number of the day's NEW records by delivery state, for both interfaces together. */
  readonly deliveries: Record<DeliveryState, number>;
  /** The last time when the upstream answered about a record of the day. */
  readonly lastAnsweredAt: number | null;
  /** Counts of the day by interface, type and till. Sorted in this order. */
  readonly rows: readonly DayRow[];
  /** Findings of the last check, at most `MAX_LISTED` of each kind. The full numbers are in the reasons. */
  readonly findings: readonly Finding[];
  readonly declared: readonly DeclaredComparison[];
  /** Every change of the verdict, newest first. */
  readonly history: readonly DayEntry[];
  readonly outages: readonly OutageDiary[];
  readonly sleeps: readonly Sleep[];
  readonly checks: readonly DayCheck[];
}

/** Maximum records in the list behind a number. An export contains all records. */
export const MAX_LISTED = 500;
/** Maximum ids in all lists of a day's declared totals together, because a till may declare a total for very many types. */
export const MAX_LISTED_IN_DAY = 20_000;

export interface DayRow {
  readonly type: string;
  readonly tillId: number;
  readonly till: string;
  readonly interface: Interface;
  readonly here: number;
  readonly amounts: AmountSums;
  readonly missingUpstream: number;
}

export type DayEntry =
  | {
      readonly kind: 'verdict';
      readonly at: number;
      readonly verdict: Verdict;
      readonly isProvisional: boolean;
      readonly reasons: readonly Reason[];
      readonly basis: Basis | null;
      readonly here: number;
      readonly upstream: number | null;
      readonly declared: number | null;
    }
  | {
      readonly kind: 'signed off' | 'signature taken back';
      readonly at: number;
      readonly actor: string;
      readonly name: string;
      readonly note: string;
    };

/** An outage of a lane, and its effect on a store day. */
export interface OutageDiary extends Outage {
  /** Number of records of the day that arrived for this lane during the outage. */
  readonly kept: number;
  /** Time when the last of the `kept` records was delivered. Null while any of them still waits. */
  readonly deliveredBy: number | null;
}

/** Body of POST /api/sign-offs: signs a day off, or withdraws the signature. */
export interface SignOffRequest {
  readonly journal: number;
  readonly date: string;
  readonly kind: 'sign off' | 'take back';
  /**
   * The day's `signedFor` from the screen that the user saw. If the day has another `signedFor` now, the gateway refuses the
   * sign-off.
   */
  readonly signedFor: string;
  readonly name: string;
  readonly note: string;
}
