// Store days with their verdicts, checks and sign-offs. Dates are YYYY-MM-DD.

import type { StatusCounts, DeliveryState, Cause, Interface } from './codes.ts';
import type { LaneView, OutageView } from './lanes.ts';
import type { StoreTrouble, MachineView, SleepView } from './machine.ts';

/** When the days of an administration begin. */
export interface DayRule {
  /** IANA name. */
  readonly timeZone: string;
  /** Minutes after midnight. */
  readonly dayStartsAt: number;
}

/** A rule with its period: from a date on, until the next rule. */
export interface DayRulePeriod extends DayRule {
  /** The first date, and the start of that day in epoch seconds; null for the first rule, which has no start. */
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

/** GET /api/overview?journal=ID: the screen Today. */
export interface OverviewView {
  readonly now: number;
  readonly day: StoreDay;
  /** Records sold today. */
  readonly records: StatusCounts;
  /** The NEW ones of them by delivery state. */
  readonly deliveries: Record<DeliveryState, number>;
  /** Of all days: what is only here. */
  readonly total: Record<DeliveryState, number>;
  /** Calls refused since the day began. */
  readonly refused: number;
  /** The last NEW record by sale time; ignores wrong clocks. */
  readonly lastRecord: { readonly receivedAt: number; readonly soldAt: number; readonly till: string } | null;
  /** Only quarters of an hour with records. */
  readonly quarters: readonly QuarterView[];
  /** Tills with records today or a valid key, sorted by label. */
  readonly tills: readonly TillToday[];
  readonly lanes: readonly LaneView[];
  /** Outages of lanes that overlap today. */
  readonly outages: readonly OutageView[];
  /** Why no records are taken at present, if so. */
  readonly trouble: StoreTrouble | null;
  readonly machine: MachineView;
}

export interface QuarterView {
  /** Epoch seconds. */
  readonly startsAt: number;
  readonly records: StatusCounts;
}

export interface TillToday {
  readonly id: number;
  readonly label: string;
  /** NEW records sold today. */
  readonly records: number;
  /** The last call, of any day. */
  readonly lastAt: number | null;
  /** Average time between two records of today, computed from quarter hours; null with fewer than three records. */
  readonly usualGapMs: number | null;
  /** Null unless the till has fallen silent. */
  readonly silence: Silence | null;
}

export const VERDICTS = ['complete', 'waiting', 'differs', 'cannot tell'] as const;

/** The result of reconciling a store day. */
export type Verdict = (typeof VERDICTS)[number];

export const CHECK_BASES = ['counts', 'ids'] as const;

/** What a check compared with the upstream: the number of records, or every id. Equal numbers can hide a swap. */
export type CheckBasis = (typeof CHECK_BASES)[number];

export const BASES = [...CHECK_BASES, 'answers'] as const;

/** The basis of a verdict. The earlier interface has no query, so its records rest on the upstream's answers. */
export type Basis = (typeof BASES)[number];

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
  // Differs.
  'missing_upstream',
  'held',
  'set_aside',
  'earlier_held',
  'earlier_set_aside',
  'missing_here',
  'twice_upstream',
  'other_upstream',
  'declared_more',
  'declared_less',
  // Cannot tell.
  'damaged_here',
  'no_upstream',
  'earlier_no_upstream',
  'upstream_silent',
  'upstream_unreadable',
] as const;

/** The reason of a verdict; `earlier_…` concerns the earlier interface. */
export type ReasonCode = (typeof REASON_CODES)[number];

export interface Reason {
  readonly code: ReasonCode;
  /** Number of records. */
  readonly count?: number;
  /** When the next automatic check is due. */
  readonly until?: number;
  /** Why the upstream does not answer or not readably, or why records do not arrive there. */
  readonly cause?: Cause;
}

export const NOTE_CODES = ['listed_twice', 'counted_twice', 'others_upstream'] as const;

/**
 * What a check found that is no difference: the same record listed more than once, records counted more often than listed because
 * they were sent more than once, and records of other senders.
 */
export type NoteCode = (typeof NOTE_CODES)[number];

export interface Note {
  readonly code: NoteCode;
  readonly count: number;
}

/** A store day at a glance. */
export interface DaySummary extends StoreDay {
  readonly verdict: Verdict;
  /** Whether the upstream may not show all sales yet. */
  readonly isProvisional: boolean;
  /** Most serious first; empty for a complete day. */
  readonly reasons: readonly Reason[];
  readonly notes: readonly Note[];
  /** `answers` if all records came by the earlier interface; null if the upstream gave no answer. */
  readonly basis: Basis | null;
  /** NEW records of both interfaces. */
  readonly here: number;
  /** Of these, the records of the earlier interface. The upstream cannot be asked for them. */
  readonly earlier: number;
  /** Of these, the records that the upstream took, by its answers. */
  readonly earlierTaken: number;
  /** Both interfaces: the count of the last check (`checkedAt`), plus `earlierTaken`. */
  readonly upstream: number | null;
  readonly checkedAt: number | null;
  /** Time of the last comparison of every id. */
  readonly passedAt: number | null;
  readonly declared: number | null;
  /** A digest of what a signature covers now. A sign-off is valid while this stays equal. */
  readonly signedFor: string;
  /** Null if not signed off. */
  readonly signOff: SignOff | null;
}

/** Whether the only differences are records that other senders may have sent. */
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
  /** The day of the first sale; ignores wrong clocks. */
  readonly first: string | null;
  readonly days: readonly DaySummary[];
  readonly checks: readonly CheckView[];
}

/** A running check of some days, requested by a user or by the gateway. */
export interface CheckView {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly byIds: boolean;
  readonly resend: boolean;
  readonly actor: string;
  readonly askedAt: number;
  /** The day that is checked now. */
  readonly next: string;
  /** Since when the check has been waiting for the upstream; `cause` says why. */
  readonly stalledAt: number | null;
  readonly cause: Cause | null;
}

/** Body of POST /api/checks, which answers with a CheckView. */
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

/** The fault of a record behind a verdict; `other`: it is upstream with another type or time. */
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  /** The stored record, if there is one. */
  readonly record: { readonly recordId: number; readonly till: string; readonly delivery: DeliveryState | null } | null;
}

/** GET /api/days/DATE?journal=ID */
export interface DayView {
  readonly day: DaySummary;
  /** All records of the day, of both interfaces. */
  readonly records: StatusCounts;
  /** NEW records of both interfaces by delivery state. */
  readonly deliveries: Record<DeliveryState, number>;
  /** Time of the last answer to one of them. */
  readonly lastAnsweredAt: number | null;
  /** Sorted by interface, type and till. */
  readonly rows: readonly DayRow[];
  /** Findings of the last check, at most `MAX_LISTED` of each kind. The reasons have the totals, and held or set-aside records. */
  readonly findings: readonly Finding[];
  readonly declared: readonly DeclaredView[];
  /** Every change of the verdict, newest first. */
  readonly history: readonly DayEntry[];
  readonly outages: readonly OutageDiary[];
  readonly sleeps: readonly SleepView[];
  readonly checks: readonly CheckView[];
}

/** Maximum records listed behind a number; an export has all. */
export const MAX_LISTED = 500;

export interface DayRow {
  readonly type: string;
  readonly tillId: number;
  readonly till: string;
  readonly interface: Interface;
  readonly here: number;
  readonly missingUpstream: number;
}

/** A valid declared total. */
export interface DeclaredView {
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
  /** If ids were declared: those that are missing here, and undeclared ones (at most `MAX_LISTED` each). */
  readonly ids: {
    readonly missing: readonly string[];
    readonly missingCount: number;
    readonly undeclared: readonly string[];
    readonly undeclaredCount: number;
  } | null;
}

export const DECLARED_SOURCES = ['typed', 'file', 'till'] as const;

export type DeclaredSource = (typeof DECLARED_SOURCES)[number];

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
export interface OutageDiary extends OutageView {
  /** Records for this lane that arrived meanwhile. */
  readonly kept: number;
  /** When the last of them was delivered; null while one still waits. */
  readonly deliveredBy: number | null;
}

/** Body of POST /api/sign-offs: signs a day off, or takes the signature back. */
export interface SignOffRequest {
  readonly journal: number;
  readonly date: string;
  readonly kind: 'sign off' | 'take back';
  /** `signedFor` of the day on the screen. If it has changed, the sign-off is refused. */
  readonly signedFor: string;
  readonly name: string;
  readonly note: string;
}

/** Body of PUT /api/declared-totals: null takes a total back. Any date is valid. */
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

/** Body of POST /api/declared-totals/import: the text of a CSV file. A trial stores nothing. */
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
  readonly totals: readonly (Pick<DeclaredView, 'type' | 'till' | 'records'> & {
    readonly date: string;
    readonly hasIds: boolean;
  })[];
  readonly faults: readonly { readonly line: number; readonly code: DeclaredFaultCode; readonly value: string }[];
}

export const SURENESS = ['likely', 'almost certain'] as const;

/** The confidence of a finding that the gateway derived from past sales. */
export type Sureness = (typeof SURENESS)[number];

/**
 * GET /api/days/DATE/gaps?journal=ID: skipped numbers in ascending ids, within the day or between it and the next or previous
 * day. They never change a verdict.
 */
export interface GapsView {
  readonly sequences: readonly SequenceView[];
  /** Whether the day had too many records to read them all. */
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
  /** The two days around the gap; null if it is within one day. */
  readonly between: readonly [string, string] | null;
}

/** A till without sales at a time when it usually sells. */
export interface Silence {
  /** Time of the last call. */
  readonly since: number;
  readonly sureness: Sureness;
}
