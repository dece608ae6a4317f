// The records of store days: their number, their forwarding state, and the records themselves.

import type { AmountSums } from '../../contract/amounts.ts';
import type { DeliveryState, Status, StatusCounts } from '../../contract/codes.ts';
import type { DayRow, StoreDay } from '../../contract/days.ts';
import type { Range } from '../records/ledger.ts';

export interface DayLedger {
  /** Counts the records of each day, in date order. Counting a year takes a few milliseconds. */
  count(query: DaysQuery): Promise<DayCounts[]>;
  /** The start of the quarter hour of a journal's first sale, in epoch seconds; undefined without sales. */
  findFirstSale(journalId: number): Promise<number | undefined>;
  /** Counts the records of one day by status, and its NEW records by interface, type and till. */
  sum(query: DaySumQuery): Promise<DaySum>;
  /** The NEW records of the current interface in a range, in the order of sale. */
  listRecords(query: Range & { journalId: number }): Promise<DayRecord[]>;
  /**
   * Sums the upstream's answers to the records of a range: extra calls that it may have received, and records that it has with
   * other content.
   */
  sumAnswers(query: Range & { journalId: number }): Promise<AnswerSums>;
  /**
   * Finds the time of sale of one record. `place` says which record: 0 is the first sale of the range. Undefined beyond the
   * last sale.
   */
  findPlace(query: Range & { journalId: number; place: number }): Promise<number | undefined>;
  /** The ids of the NEW records of the current interface in a range, by till; at most the first 50,000. */
  listSoldIds(journalId: number, range: Range): Promise<SoldIds>;
  /** The NEW records of the current interface with these ids, whenever they were sold. Leaves out unknown ids. */
  findOriginals(journalId: number, externalIds: readonly string[]): Promise<DayRecord[]>;
}

/** Consecutive store days of a journal, in date order. */
export interface DaysQuery {
  readonly journalId: number;
  readonly days: readonly StoreDay[];
}

/** Days of a journal, from the date `from` to the date `to`, YYYY-MM-DD. Both dates are included. */
export interface DatesQuery {
  readonly journalId: number;
  readonly from: string;
  readonly to: string;
}

export interface DaySumQuery {
  readonly journalId: number;
  readonly day: Range;
  /**
   * The id of the verdict that says which records are missing upstream. Each row counts these records. Undefined if the day has
   * no verdict.
   */
  readonly verdictId: number | undefined;
}

/** Counts of one day's NEW records. The inherited fields of `SentCounts` count only the current interface. */
export interface DayCounts extends SentCounts {
  /** Number of records of the current interface. */
  readonly here: number;
  /** The amounts of both interfaces. */
  readonly amounts: AmountSums;
  /** Number of records of the earlier interface. */
  readonly earlier: number;
  readonly earlierSent: SentCounts;
  /** Number of records of both interfaces that the scrub found damaged on the disk. */
  readonly damaged: number;
}

/** Deliveries of the NEW records of one interface. */
export interface SentCounts {
  readonly deliveries: Readonly<Record<DeliveryState, number>>;
  /** When the upstream last answered about one of these deliveries, in epoch milliseconds; null without an answer. */
  readonly lastAnsweredAt: number | null;
}

export interface DaySum {
  /** Number of records of both interfaces, by status. */
  readonly records: StatusCounts;
  /** Counts of NEW records, sorted by interface, type and till. */
  readonly rows: readonly DayRow[];
}

export interface DayRecord {
  readonly recordId: number;
  readonly externalId: string;
  readonly type: string;
  /** Epoch seconds. */
  readonly soldAt: number;
  /** The state of the record's delivery; null if the record is not forwarded. */
  readonly state: DeliveryState | null;
  /** When the upstream last answered about this record, in epoch milliseconds; null without an answer. */
  readonly answeredAt: number | null;
  /** The status that the upstream's answer gives the record; null if the answer gives none. */
  readonly upstreamStatus: Status | null;
}

/** Counts from the upstream's answers to the records of a range. */
export interface AnswerSums {
  /** Number of extra calls that the upstream may have received: repeated attempts, and delivered duplicates. */
  readonly resends: number;
  /** Number of records that the upstream has with other content under the same id. */
  readonly errors: number;
}

/** The ids of a range by till, each list in the order of sale. */
export interface SoldIds {
  readonly tills: readonly { readonly label: string; readonly ids: readonly string[] }[];
  /** True if the range has more ids than this list. */
  readonly isPartial: boolean;
}
