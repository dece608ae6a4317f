// Store days: what was sold, what is here, what is upstream, and the verdict. Dates are YYYY-MM-DD.

import type { StatusCounts, DeliveryState, Cause, Interface } from './codes.ts';
import type { LaneView, Outage } from './lanes.ts';
import type { StoreTrouble, MachineState, Sleep } from './machine.ts';

/** When the days of an administration begin. */
export interface DayRule {
  /** IANA name. */
  readonly timeZone: string;
  /** Minutes after midnight. */
  readonly dayStartsAt: number;
}

/** A rule and the days it is for: from a date on, or all before another rule's. */
export interface DayRulePeriod extends DayRule {
  /** The first date it is for, and when that day begins in epoch seconds; null for the first rule, which has no beginning. */
  readonly since: { readonly date: string; readonly at: number } | null;
}

/** In the order of time; never empty. */
export type DayRules = readonly DayRulePeriod[];

/** A day in the store's zone, as a half-open range. */
export interface StoreDay {
  /** YYYY-MM-DD */
  readonly date: string;
  /** Epoch seconds, as is `to`. */
  readonly from: number;
  readonly to: number;
}

/** One store day of a journal at a glance. */
export interface Overview {
  /** Records sold on the day. */
  readonly records: StatusCounts;
  /** Deliveries of its NEW records, by state. */
  readonly deliveries: Record<DeliveryState, number>;
  /** Deliveries of all days, by state. */
  readonly total: Record<DeliveryState, number>;
  /** Calls refused since the day began. */
  readonly refused: number;
  /** The NEW record that was sold last. Times far ahead of our clock count only if there is no other record. */
  readonly lastRecord: { readonly receivedAt: number; readonly soldAt: number; readonly till: string } | null;
  /** Only those with records. */
  readonly quarters: readonly QuarterCounts[];
  /** Tills with records on the day or a key that works, by label. */
  readonly tills: readonly TillToday[];
  /** Outages of its lanes that touch the day. */
  readonly outages: readonly Outage[];
}

/** GET /api/overview?journal=ID */
export interface OverviewView extends Overview {
  readonly now: number;
  /** The present store day. */
  readonly day: StoreDay;
  readonly lanes: readonly LaneView[];
  /** Why no records are taken at present; null while they are. */
  readonly trouble: StoreTrouble | null;
  readonly machine: MachineState;
}

export interface QuarterCounts {
  /** Epoch seconds. */
  readonly startsAt: number;
  readonly records: StatusCounts;
}

export interface TillToday {
  readonly id: number;
  readonly label: string;
  /** NEW ones sold today. */
  readonly records: number;
  /** The last call, of any day. */
  readonly lastAt: number | null;
  /** Between two records of today, on average, to the quarter hour that its sales begin and end in; null with fewer than three. */
  readonly usualGapMs: number | null;
  /** Null unless it has fallen silent. */
  readonly silence: Silence | null;
}

export const VERDICTS = ['complete', 'waiting', 'differs', 'cannot tell'] as const;

/** The result of reconciling a store day. */
export type Verdict = (typeof VERDICTS)[number];

export const CHECK_BASES = ['counts', 'ids'] as const;

/** What a check compared with the upstream: how many records, or every id. Equal counts can hide a swap. */
export type CheckBasis = (typeof CHECK_BASES)[number];

export const BASES = [...CHECK_BASES, 'answers'] as const;

/** What a verdict rests on. The earlier interface has no query, so its records rest on the answers to them. */
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

/** Why a verdict is what it is; `earlier_…` is about the earlier interface. */
export type ReasonCode = (typeof REASON_CODES)[number];

export interface Reason {
  readonly code: ReasonCode;
  /** Of records. */
  readonly count?: number;
  /** When it will be checked by itself. */
  readonly until?: number;
  /** Why the upstream does not answer, what is wrong with its answer, or why records do not get there. */
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
  /** Reached before everything upstream can be seen there. */
  readonly isProvisional: boolean;
  /** The gravest first; none for a day that is complete. */
  readonly reasons: readonly Reason[];
  readonly notes: readonly Note[];
  /** What it rests on: `answers` where all of it came by the earlier interface; null where the upstream gave no answer. */
  readonly basis: Basis | null;
  /** NEW records of both interfaces. */
  readonly here: number;
  /** Of these, the records of the earlier interface. They can't be asked for upstream. */
  readonly earlier: number;
  /** Of these, the records that the upstream took, as its answers say. */
  readonly earlierTaken: number;
  /** Of both interfaces: counted at the last check, as is `checkedAt`, plus what the upstream took of the earlier one. */
  readonly upstream: number | null;
  readonly checkedAt: number | null;
  /** When every id was last compared. */
  readonly passedAt: number | null;
  readonly declared: number | null;
  /** What somebody signs who signs now: it stands as long as this does. */
  readonly signedFor: string;
  /** Null unless it is signed off. */
  readonly signOff: SignOff | null;
}

/** Whether all that differs is what other senders may have sent. */
export function isOnlyOfOthers({ reasons }: Pick<DaySummary, 'reasons'>): boolean {
  return reasons.length > 0 && reasons.every(({ code }) => code === 'missing_here');
}

export interface SignOff {
  readonly at: number;
  readonly actor: string;
  /** Who signs. */
  readonly name: string;
  readonly note: string;
  /** What it was signed for is no longer so: records came late, or the verdict is another. */
  readonly isReopened: boolean;
}

/** GET /api/days?journal=ID&from=DATE&to=DATE, both included and 400 days at the most: in the order of time. */
export interface DaysView {
  readonly now: number;
  /** The present store day. */
  readonly today: string;
  /** Of the first sale there is, as far as clocks can be believed. */
  readonly first: string | null;
  readonly days: readonly DaySummary[];
  readonly checks: readonly DayCheck[];
}

/** A check of some days, asked for by somebody or by the gateway itself; while it is underway. */
export interface DayCheck {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly byIds: boolean;
  readonly resend: boolean;
  readonly actor: string;
  readonly askedAt: number;
  /** The day it is at. */
  readonly next: string;
  /** Since when it waits for the upstream, and why. */
  readonly stalledAt: number | null;
  readonly cause: Cause | null;
}

/** POST /api/checks takes it and answers with a DayCheck. */
export interface CheckRequest {
  readonly journal: number;
  readonly from: string;
  readonly to: string;
  /** Compare every id and not only counts. */
  readonly byIds: boolean;
  /** Resend what is missing even before the settle time is over; that takes a manager. */
  readonly resend?: boolean;
}

export const FINDING_KINDS = ['missing upstream', 'missing here', 'twice upstream', 'other upstream'] as const;

/** What is the matter with a record behind a verdict; `other` is there with another type or time. */
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  /** What there is of it here. */
  readonly record: { readonly recordId: number; readonly till: string; readonly delivery: DeliveryState | null } | null;
}

/** GET /api/days/DATE?journal=ID */
export interface DayView {
  readonly day: DaySummary;
  /** All records of the day, of both interfaces. */
  readonly records: StatusCounts;
  /** How far the NEW ones of both interfaces have come. */
  readonly deliveries: Record<DeliveryState, number>;
  /** The last answer to one of them. */
  readonly lastAnsweredAt: number | null;
  /** In the order interface, type, till. */
  readonly rows: readonly DayRow[];
  /** Of the last check (`MAX_LISTED` of each kind); how many there are is in the reasons, what is held or set aside apart. */
  readonly findings: readonly Finding[];
  readonly declared: readonly DeclaredComparison[];
  /** Everything that happened to the verdict, the newest first. */
  readonly history: readonly DayEntry[];
  readonly outages: readonly OutageDiary[];
  readonly sleeps: readonly Sleep[];
  readonly checks: readonly DayCheck[];
}

/** So many records behind a number are shown at once; an export has all of them. */
export const MAX_LISTED = 500;

export interface DayRow {
  readonly type: string;
  readonly tillId: number;
  readonly till: string;
  readonly interface: Interface;
  readonly here: number;
  readonly missingUpstream: number;
}

/** A declared total that is in force. */
export interface DeclaredComparison {
  readonly id: number;
  /** Null: of all types, of all tills. */
  readonly type: string | null;
  readonly tillId: number | null;
  readonly till: string | null;
  readonly records: number;
  /** NEW records here of this type and till. */
  readonly here: number;
  readonly source: DeclaredSource;
  readonly actor: string;
  readonly at: number;
  /** Where ids were declared: those that are not here, and those that are here and were not declared (`MAX_LISTED`). */
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

/** A time in which a lane was not running, and what it meant for the day. */
export interface OutageDiary extends Outage {
  /** Records for this lane that arrived meanwhile. */
  readonly kept: number;
  /** When the last of them had been delivered; null while one is not. */
  readonly deliveredBy: number | null;
}

/** POST /api/sign-offs takes it: signs a day off, or takes the signature back. */
export interface SignOffRequest {
  readonly journal: number;
  readonly date: string;
  readonly kind: 'sign off' | 'take back';
  /** `signedFor` of the day as it was seen; one that is no longer so is not signed off. */
  readonly signedFor: string;
  readonly name: string;
  readonly note: string;
}

/** PUT /api/declared-totals takes it: null takes a total back. Dates may be any. */
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

/** What is wrong with a line of a file of declared totals. */
export type DeclaredFaultCode = (typeof DECLARED_FAULT_CODES)[number];

/** POST /api/declared-totals/import takes it: the text of a CSV. A trial keeps nothing. */
export interface DeclaredImportRequest {
  readonly journal: number;
  readonly text: string;
  readonly isTrial: boolean;
}

/** POST /api/declared-totals/import answers with it. With a fault nothing was kept. */
export interface DeclaredImport {
  /** How the file was understood: the headings of its columns, by what they hold; null where there is none. */
  readonly columns: Readonly<Record<'day' | 'count' | 'id' | 'type' | 'till', string | null>>;
  /** In the order of the days. */
  readonly totals: readonly (Pick<DeclaredComparison, 'type' | 'till' | 'records'> & {
    readonly date: string;
    readonly hasIds: boolean;
  })[];
  readonly faults: readonly { readonly line: number; readonly code: DeclaredFaultCode; readonly value: string }[];
}

export const SURENESS = ['likely', 'almost certain'] as const;

/** How sure it is of what it has learned by itself. */
export type Sureness = (typeof SURENESS)[number];

/**
 * GET /api/days/DATE/gaps?journal=ID: numbers that were skipped in ids that count up, on the day or between it and a day
 * beside it. It never changes a verdict.
 */
export interface GapsView {
  readonly sequences: readonly SequenceView[];
  /** Whether there were too many records to look at all of them. */
  readonly isPartial: boolean;
}

/** Ids with the same beginning that count up, such as T3-000412. */
export interface SequenceView {
  readonly prefix: string;
  /** Labels of those that use it. */
  readonly tills: readonly string[];
  /** The lowest and the highest of the day; of the days around it where the day has none. */
  readonly first: string;
  readonly last: string;
  /** How many of them are here and of the day. */
  readonly here: number;
  readonly skipped: number;
  /** The first of them. */
  readonly gaps: readonly GapView[];
  readonly sureness: Sureness;
}

/** Skipped ids, both ends among them. */
export interface GapView {
  readonly from: string;
  readonly to: string;
  /** The two days they lie between; null where it is one day. */
  readonly between: readonly [string, string] | null;
}

/** A till that sells nothing at a time when it usually does. */
export interface Silence {
  /** The last call. */
  readonly since: number;
  readonly sureness: Sureness;
}
