// Store days: what is here of each, what was found out about it, and the checks that were asked for.

import type { DayEntry, DeclaredView, Finding, FindingKind, OutageDiary, SleepView } from '../../contract.ts';
import type { CheckProgress, NewCheck, OpenCheck } from '../sqlite/days/day-check.ts';
import type { AnswerSums, DayRecord } from '../sqlite/days/day-record.ts';
import type { DaySum, DaySumQuery } from '../sqlite/days/day-sum.ts';
import type { DatesQuery, DayCounts, DaysQuery } from '../sqlite/days/day.ts';
import type {
  DeclaredDay,
  DeclaredFacts,
  Declarer,
  DeclareResult,
  DeclaredTotal,
  NewDeclaredTotal,
} from '../sqlite/days/declared-total.ts';
import type { NewFinding } from '../sqlite/days/finding.ts';
import type { KnownDay } from '../sqlite/days/known-day.ts';
import type { NewSignOff } from '../sqlite/days/sign-off.ts';
import type { SoldIds } from '../sqlite/days/sold-id.ts';
import type { NewVerdict } from '../sqlite/days/verdict.ts';
import type { Range } from '../sqlite/records/count.ts';

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
  listSleeps(range: Range): Promise<SleepView[]>;
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
  /** Those of a day held against the records here; lists of ids end after `MOST_LISTED`. */
  readDeclared(day: DeclaredDay): Promise<DeclaredView[]>;
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
