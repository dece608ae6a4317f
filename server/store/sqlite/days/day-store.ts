// What the store does about store days: reads what is here, and keeps verdicts, signatures and checks.

import type { DayEntry, DeclaredView, Finding, FindingKind, OutageDiary, SleepView } from '../../../contract.ts';
import type { ReaderOperations } from '../engine/reader.ts';
import type { Thread } from '../engine/thread.ts';
import type { WriterOperations } from '../engine/writer.ts';
import type { Range } from '../records/count.ts';
import type { CheckProgress, NewCheck, OpenCheck } from './day-check.ts';
import type { AnswerSums, DayRecord } from './day-record.ts';
import type { DaySum, DaySumQuery } from './day-sum.ts';
import type { DatesQuery, DayCounts, DaysQuery } from './day.ts';
import type {
  DeclaredDay,
  DeclaredFacts,
  Declarer,
  DeclareResult,
  DeclaredTotal,
  NewDeclaredTotal,
} from './declared-total.ts';
import type { NewFinding } from './finding.ts';
import type { KnownDay } from './known-day.ts';
import type { NewSignOff } from './sign-off.ts';
import type { SoldIds } from './sold-id.ts';
import type { NewVerdict } from './verdict.ts';

export interface DayStore {
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

export interface DayStoreParts {
  readonly reader: Thread<ReaderOperations>;
  readonly writer: Thread<WriterOperations>;
  /** Turns what a read fails with into a refusal. */
  readonly reading: <T>(answer: Promise<T>) => Promise<T>;
  /** The same for a write, which may be trouble. */
  readonly guard: <T>(answer: Promise<T>) => Promise<T>;
  /** So many rows were written. */
  readonly noteWritten: (rows: number) => void;
  /** Somebody may be looking at days. */
  readonly noteChange: () => void;
  readonly noteRequest: (journalId: number) => void;
  readonly now: () => number;
}

export function openDayStore({
  reader,
  writer,
  reading,
  guard,
  noteWritten,
  noteChange,
  noteRequest,
  now,
}: DayStoreParts): DayStore {
  const changing = async <T>(answer: Promise<T>, rows = 1): Promise<T> => {
    noteWritten(rows);
    const result = await guard(answer);
    noteChange();
    return result;
  };
  return {
    count: (query) => reading(reader.call('countDays', [query])),
    findFirstSale: (journalId) => reading(reader.call('findFirstSale', [journalId])),
    listKnown: (query) => reading(reader.call('listKnownDays', [query])),
    sum: (query) => reading(reader.call('sumDay', [query])),
    listDiary: (journalId, range) => reading(reader.call('listDiary', [journalId, range])),
    listSleeps: (range) => reading(reader.call('listSleeps', [range])),
    listEntries: (journalId, date) => reading(reader.call('listDayEntries', [journalId, date])),
    listFindings: (query) => reading(reader.call('listFindings', [query])),
    listRecords: (query) => reading(reader.call('listDayRecords', [query])),
    sumAnswers: (query) => reading(reader.call('sumAnswers', [query])),
    findPlace: (query) => reading(reader.call('findPlace', [query])),
    listSoldIds: (journalId, range) => reading(reader.call('listSoldIds', [journalId, range])),
    findOriginals: (journalId, externalIds) => reading(reader.call('findOriginals', [journalId, externalIds])),
    addVerdict: (verdict) => changing(writer.call('addVerdict', [verdict])),
    addFindings: (verdictId, findings) => changing(writer.call('addFindings', [verdictId, findings]), findings.length),
    addSignOff: (signOff) => changing(writer.call('addSignOff', [signOff])),
    async declare(journalId, totals, by) {
      const rows = totals.reduce((sum, { ids = [] }) => sum + 1 + ids.length, 0);
      noteWritten(rows);
      const result = await guard(writer.call('declareTotals', [journalId, totals, { ...by, at: now() }]));
      if (result.kind === 'declared' && result.added > 0) noteChange();
      return result;
    },
    listDeclared: (dates) => reading(reader.call('listDeclaredTotals', [dates])),
    readDeclared: (day) => reading(reader.call('readDeclaredDay', [day])),
    compareDeclared: (query) => reading(reader.call('compareDeclared', [query])),
    async requestCheck(check) {
      const requested = await changing(writer.call('requestCheck', [check]));
      noteRequest(check.journalId);
      return requested;
    },
    listOpenChecks: () => reading(reader.call('listOpenChecks', [])),
    noteCheck: (id, progress) => changing(writer.call('noteCheck', [id, progress])),
    endCheck: (id, at) => changing(writer.call('endCheck', [id, at])),
    takeTurn: (journalId, holder, until) => guard(writer.call('takeCheckTurn', [journalId, holder, now(), until])),
    leaveTurns: (holder) => guard(writer.call('leaveCheckTurns', [holder])),
  };
}
