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
  /** Minutes after midnight. */
  readonly dayStartsAt: number;
}

/** A rule and its period, which ends at the next rule. */
export interface DayRulePeriod extends DayRule {
  /**
   * The first date for which the rule applies, and when that day starts, in epoch seconds. Null for the first rule, which has no
   * start.
   */
  readonly since: { readonly date: string; readonly at: number } | null;
}

/** Oldest first; never empty. */
export type DayRules = readonly DayRulePeriod[];

/** A day in the store's zone, as a half-open range. */
export interface StoreDay {
  /** YYYY-MM-DD */
  readonly date: string;
  /** Epoch seconds, as is `to`. */
  readonly from: number;
  readonly to: number;
}

/** A store day at a glance. */
export interface DaySummary extends StoreDay {
  readonly verdict: Verdict;
  /** True while the upstream may not show all sales of the day yet. */
  readonly isProvisional: boolean;
  /** Most serious first; empty for a complete day. */
  readonly reasons: readonly Reason[];
  readonly notes: readonly Note[];
  /** What the verdict rests on: `answers` if all records came by the earlier interface; null if the upstream gave no answer. */
  readonly basis: Basis | null;
  /** NEW records of both interfaces. */
  readonly here: number;
  /** Sums of `here`. */
  readonly amounts: AmountSums;
  /** How many records of `here` came by the earlier interface. The gateway cannot query the upstream for these records. */
  readonly earlier: number;
  /** The records in `earlier` that the upstream accepted, according to its answers. */
  readonly earlierTaken: number;
  /**
   * Number of records upstream, of both interfaces: the records that the last check counted (at `checkedAt`), plus `earlierTaken`.
   */
  readonly upstream: number | null;
  readonly checkedAt: number | null;
  /** When a check last compared every id. */
  readonly passedAt: number | null;
  readonly declared: number | null;
  /** The declared amounts and the sums of the same records here, by currency. Empty without declared amounts. */
  readonly declaredAmounts: readonly AmountComparison[];
  /** A digest of the facts that a signature covers. A sign-off is valid while the digest stays the same. */
  readonly signedFor: string;
  /** Null if not signed off. */
  readonly signOff: SignOff | null;
}

/** Whether the day differs only by records upstream that other senders may have sent. */
export function isOnlyOfOthers({ reasons }: Pick<DaySummary, 'reasons'>): boolean {
  return reasons.length > 0 && reasons.every(({ code }) => code === 'missing_here');
}

export interface SignOff {
  readonly at: number;
  readonly actor: string;
  /** The name of the signer. */
  readonly name: string;
  readonly note: string;
  /** Whether the day changed after the signature: late records or another verdict. */
  readonly isReopened: boolean;
}

/** GET /api/days?journal=ID&from=DATE&to=DATE, both ends included, at most 400 days: oldest first. */
export interface DaysView {
  readonly now: number;
  /** The current store day. */
  readonly today: string;
  /** The store day of the first sale. Sales that a wrong clock dated before 1970 do not count. */
  readonly first: string | null;
  readonly days: readonly DaySummary[];
  readonly checks: readonly DayCheck[];
}

/** A running check of some days, requested by a user or by the gateway. */
export interface DayCheck {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly byIds: boolean;
  readonly resend: boolean;
  readonly actor: string;
  readonly askedAt: number;
  /** The day being checked. */
  readonly next: string;
  /** When the check began to wait for the upstream, for the reason in `cause`. */
  readonly stalledAt: number | null;
  readonly cause: Cause | null;
}

/** Body of POST /api/checks, which answers with a DayCheck. */
export interface CheckRequest {
  readonly journal: number;
  readonly from: string;
  readonly to: string;
  /** Compare every id, not only counts. */
  readonly byIds: boolean;
  /** Send missing records again even before the settle time is over; managers only. */
  readonly resend?: boolean;
}

export const FINDING_KINDS = ['missing upstream', 'missing here', 'twice upstream', 'other upstream'] as const;

/** What is wrong with a record behind a verdict. `other`: the record is upstream with another type or time. */
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  /** The record stored here; null if only the upstream has it. */
  readonly record: { readonly recordId: number; readonly till: string; readonly delivery: DeliveryState | null } | null;
}

/** GET /api/days/DATE?journal=ID */
export interface DayView {
  readonly day: DaySummary;
  /** All records of the day, of both interfaces. */
  readonly records: StatusCounts;
  /** NEW records of both interfaces by delivery state. */
  readonly deliveries: Record<DeliveryState, number>;
  /** When the upstream last answered about a record of the day. */
  readonly lastAnsweredAt: number | null;
  /** Sorted by interface, type and till. */
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

/** Maximum records listed behind a number; an export has all. */
export const MAX_LISTED = 500;

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

/** An outage of a lane, and its effect on the day. */
export interface OutageDiary extends Outage {
  /** Records for this lane that arrived during the outage. */
  readonly kept: number;
  /** When the last of the `kept` records was delivered; null while any of them waits. */
  readonly deliveredBy: number | null;
}

/** Body of POST /api/sign-offs: signs a day off, or withdraws the signature. */
export interface SignOffRequest {
  readonly journal: number;
  readonly date: string;
  readonly kind: 'sign off' | 'take back';
  /** The day's `signedFor` when the screen showed it. If the day has changed since, the gateway refuses the sign-off. */
  readonly signedFor: string;
  readonly name: string;
  readonly note: string;
}
