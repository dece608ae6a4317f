// Store days: what is here of each, what was found out about it, and the checks that were asked for.

import type { DeliveryState, Status, Cause, StatusCounts } from '../../contract/codes.ts';
import type {
  DayEntry,
  DeclaredComparison,
  Finding,
  FindingKind,
  OutageDiary,
  DayCheck,
  StoreDay,
  Verdict,
  Reason,
  Note,
  CheckBasis,
  DayRow,
  DeclaredSource,
} from '../../contract/days.ts';
import type { Sleep } from '../../contract/machine.ts';
import type { Range } from '../records/ledger.ts';

export interface DayLedger {
  /** How many records of each day are here, in the order of the days, which have no gap. A year takes a few milliseconds. */
  count(query: DaysQuery): Promise<DayCounts[]>;
  /** When the first record of a journal was sold, to the UTC day, in epoch seconds. */
  findFirstSale(journalId: number): Promise<number | undefined>;
  /** What was found out about the days from one date to another, by date; those that nothing is known of are left out. */
  listKnown(query: DatesQuery): Promise<ReadonlyMap<string, KnownDay>>;
  /** A day in full. */
  sum(query: DaySumQuery): Promise<DaySum>;
  /** The outages that touch a range, with what came meanwhile. */
  listDiary(journalId: number, range: Range): Promise<OutageDiary[]>;
  /** When this machine slept in a range. */
  listSleeps(range: Range): Promise<Sleep[]>;
  /** Everything that happened to the verdict about a day, the newest first. */
  listEntries(journalId: number, date: string): Promise<DayEntry[]>;
  /** The records behind a verdict, in the order of their ids. */
  listFindings(query: { verdictId: number; kind: FindingKind; limit: number }): Promise<Finding[]>;

  /** The NEW records of the current interface in a range, in the order they were sold. */
  listRecords(query: Range & { journalId: number }): Promise<DayRecord[]>;
  /** What the answers to the records of a range say of how the upstream counts them. */
  sumAnswers(query: Range & { journalId: number }): Promise<AnswerSums>;
  /** When the record was sold before which `place` others of the range were; undefined where there are not so many. */
  findPlace(query: Range & { journalId: number; place: number }): Promise<number | undefined>;
  /** The ids of the NEW records of the current interface in a range, by till; the first 50,000. */
  listSoldIds(journalId: number, range: Range): Promise<SoldIds>;
  /** Those of the ids that are here as NEW records of the current interface, whenever they were sold. */
  findOriginals(journalId: number, externalIds: readonly string[]): Promise<DayRecord[]>;

  /** Appends a verdict. Resolves to its id. */
  addVerdict(verdict: NewVerdict): Promise<number>;
  /** Appends records behind a verdict: not very many at once, as tills wait for the same disk. */
  addFindings(verdictId: number, findings: readonly NewFinding[]): Promise<void>;
  /** Appends a signature, or takes the one in force back. */
  addSignOff(signOff: NewSignOff): Promise<void>;

  /**
   * Adds declared totals, all of them or none, and notes that a person did; what is in force already is not added again. Resolves
   * when it is on disk.
   */
  declare(journalId: number, totals: readonly NewDeclaredTotal[], by: Declarer): Promise<DeclareResult>;
  /** The totals in force, in the order date, type, till. */
  listDeclared(dates: DatesQuery): Promise<DeclaredTotal[]>;
  /** Those of a day held against the records here; lists of ids end after `MAX_LISTED`. */
  readDeclared(day: DeclaredDay): Promise<DeclaredComparison[]>;
  /** What was declared of days and how it agrees with what is here, by date; days without any are left out. */
  compareDeclared(query: DaysQuery): Promise<ReadonlyMap<string, DeclaredFacts>>;

  /** Asks for a check; the same one that has not begun is not asked for twice. */
  requestCheck(check: NewCheck): Promise<OpenCheck>;
  /** Those that have not ended, the oldest first. */
  listOpenChecks(): Promise<OpenCheck[]>;
  noteCheck(id: number, progress: CheckProgress): Promise<void>;
  /** `at` is in epoch milliseconds. */
  endCheck(id: number, at: number): Promise<void>;
  /** Takes or keeps the turn to ask the upstream of a journal, until a time in epoch milliseconds; whether it was free. */
  takeTurn(journalId: number, holder: string, until: number): Promise<boolean>;
  /** Lets go of every turn of this holder. */
  leaveTurns(holder: string): Promise<void>;
}

export interface NewDeclaredTotal extends DeclaredScope {
  /** YYYY-MM-DD */
  readonly date: string;
  /** Null takes a total back. */
  readonly records: number | null;
  /** Each of them once, and as many as `records`. */
  readonly ids?: readonly string[];
}

/** A check that has not ended. */
export interface OpenCheck extends DayCheck {
  readonly journalId: number;
}

/** A record behind a verdict. */
export interface NewFinding {
  readonly kind: FindingKind;
  readonly externalId: string;
  /** Null for what only the upstream has. */
  readonly recordId: number | null;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
}

/** What was found out about a day. */
export interface NewVerdict {
  readonly journalId: number;
  /** As it is by the rule of its time. */
  readonly day: StoreDay;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly verdict: Verdict;
  readonly isProvisional: boolean;
  readonly reasons: readonly Reason[];
  /** What a check found that is no difference. */
  readonly notes: readonly Note[];
  readonly basis: CheckBasis | null;
  /** The base address of the upstream that it is about; null where none was set. */
  readonly url: string | null;
  /** NEW records of the current interface, there and here. */
  readonly here: number;
  /** Of those here, so many were on their way. */
  readonly open: number;
  readonly upstream: number | null;
  /** NEW records of the earlier interface, and how many of them the upstream took. */
  readonly earlier: number;
  readonly earlierTaken: number;
  readonly declared: number | null;
}

/** What the answers of the upstream to the records of a range say of how it counts them. */
export interface AnswerSums {
  /** How often a sale was sent once more, and a duplicate was, as far as answers say so. The first answer may have been lost. */
  readonly resends: number;
  /** Of those sold in it, the upstream said of so many that it has other content by the same id. */
  readonly errors: number;
}

export interface DayRecord {
  readonly recordId: number;
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  /** How far it has come; null where it is not forwarded. */
  readonly state: DeliveryState | null;
  /** The last answer to it, in epoch milliseconds. */
  readonly answeredAt: number | null;
  /** What the upstream classified it as, where it says so. */
  readonly upstreamStatus: Status | null;
}

/** How far the NEW records of one interface have come. */
export interface SentCounts {
  readonly deliveries: Readonly<Record<DeliveryState, number>>;
  /** The last answer to one of them, in epoch milliseconds; null where none was noted. */
  readonly lastAnsweredAt: number | null;
}

export interface KnownDay {
  readonly verdict: StoredVerdict | undefined;
  /** The newest for which every id was compared. */
  readonly pass: StoredVerdict | undefined;
  /** When that was. */
  readonly passedAt: number | undefined;
  readonly signOff: StoredSignOff | undefined;
}

export interface StoredVerdict extends NewVerdict {
  readonly id: number;
}

/** Of one day: NEW records of the current interface, and how far they have come. */
export interface DayCounts extends SentCounts {
  readonly here: number;
  /** NEW records of the earlier interface. */
  readonly earlier: number;
  readonly earlierSent: SentCounts;
  /** NEW records of both interfaces that the scrub found damaged on the disk. */
  readonly damaged: number;
}

/** What was declared for a day in all, and by how much the records here are fewer or other than that. */
export interface DeclaredFacts {
  readonly total: number | null;
  /** Declared and not here. */
  readonly more: number;
  /** Here and not declared. */
  readonly less: number;
}

/** How far a check has come since that was noted last. */
export interface CheckProgress {
  /** The day that is next. */
  readonly next: string;
  /** Since when the upstream does not answer, and why. */
  readonly stalledAt: number | null;
  readonly cause: Cause | null;
  /** What was sent and read since. */
  readonly requests: number;
  readonly bytes: number;
}

export interface NewCheck {
  readonly journalId: number;
  /** YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  /** Compare every id and not only counts. */
  readonly byIds: boolean;
  /** Resend what is missing even before the settle time is over. */
  readonly resend: boolean;
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly askedAt: number;
}

export interface DaySum {
  /** Of both interfaces. */
  readonly records: StatusCounts;
  /** NEW ones, in the order interface, type, till. */
  readonly rows: readonly DayRow[];
}

export interface DaySumQuery {
  readonly journalId: number;
  readonly day: Range;
  /** Of the newest verdict. */
  readonly verdictId: number | undefined;
}

export interface DatesQuery {
  readonly journalId: number;
  /** YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
}

/** Days of a journal, in the order of time and without a gap. */
export interface DaysQuery {
  readonly journalId: number;
  readonly days: readonly StoreDay[];
}

/** A store day of a journal, and which of its totals. */
export interface DeclaredDay {
  readonly journalId: number;
  readonly date: string;
  /** In epoch seconds; it begins and ends on quarter hours. */
  readonly range: Range;
  /** Only this entry, also when it is no longer in force. */
  readonly declaredId?: number;
  /** Of ids, in each list. */
  readonly mostListed?: number;
}

/** Who declares totals, and how. */
export interface Declarer {
  readonly actor: string;
  readonly source: DeclaredSource;
}

export type DeclareResult =
  /** `added` leaves out what was in force already. `ids` names the entry of each total; null where there was none to take back. */
  | { readonly kind: 'declared'; readonly added: number; readonly ids: readonly (number | null)[] }
  /** One of the tills is none of the journal's; nothing is kept. */
  | { readonly kind: 'unknown till' };

/** A total that is in force. */
export interface DeclaredTotal extends DeclaredScope, Declarer {
  readonly id: number;
  readonly date: string;
  /** The label of `tillId`. */
  readonly till: string | null;
  readonly records: number;
  readonly hasIds: boolean;
  readonly at: number;
}

export interface NewSignOff {
  readonly journalId: number;
  readonly date: string;
  readonly kind: 'sign off' | 'take back';
  /** Who signs. */
  readonly name: string;
  readonly note: string;
  readonly actor: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** What is true of the day. */
  readonly verdict: Verdict;
  readonly here: number;
  readonly earlier: number;
  readonly declared: number | null;
  readonly reasons: readonly Reason[];
}

/** The ids of a range by till, each in the order they were sold. */
export interface SoldIds {
  readonly tills: readonly { readonly label: string; readonly ids: readonly string[] }[];
  /** Whether there are more; these are the first. */
  readonly isPartial: boolean;
}

/** Null: of all types, of all tills. */
export interface DeclaredScope {
  readonly type: string | null;
  readonly tillId: number | null;
}

/** A signature, and the state of the day that it is for. */
export interface StoredSignOff {
  readonly at: number;
  readonly actor: string;
  readonly name: string;
  readonly note: string;
  readonly verdict: Verdict;
  /** NEW records of the current interface. */
  readonly here: number;
  /** Of the earlier interface; null where it was signed when they did not count. */
  readonly earlier: number | null;
  readonly declared: number | null;
  readonly reasons: readonly Reason[];
}
