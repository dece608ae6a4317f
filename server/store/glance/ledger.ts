// The overview of a journal. It sums only a few buckets, so it is as fast with ten million records as with ten.

import type { Overview } from '../../contract/overview.ts';
import type { Till } from '../../contract/setup.ts';
import type { Trends } from '../../contract/trends.ts';
import type { Range } from '../records/ledger.ts';

export interface GlanceLedger {
  /** Summarizes one store day of a journal. */
  getOverview(query: OverviewQuery): Promise<Overview>;
  /**
   * Lists the tills of a journal by label, with all their keys and the number of NEW records in each range of `week`. These
   * ranges of epoch seconds begin and end on quarter hours.
   */
  listTills(journalId: number, week: readonly Range[]): Promise<Till[]>;
  /** Counts the sales of some store days by till and hour, and lists the outages of that time. */
  getTrends(query: TrendQuery): Promise<Trends>;
  /** Whether tills send nothing now and, judging by past weeks, will send nothing for the next hour. */
  isQuiet(): Promise<boolean>;
}

export interface TrendQuery {
  readonly journalId: number;
  /** Consecutive store days in epoch seconds, at least one. They begin and end on quarter hours. */
  readonly days: readonly Range[];
  /** The store's time zone as an IANA name, such as Europe/Amsterdam. */
  readonly timeZone: string;
}

export interface OverviewQuery {
  readonly journalId: number;
  /** The store day in epoch seconds. It begins and ends on quarter hours. */
  readonly day: Range;
  /** The store's time zone as an IANA name, such as Europe/Amsterdam. */
  readonly timeZone: string;
  /** Epoch milliseconds. */
  readonly now: number;
}
