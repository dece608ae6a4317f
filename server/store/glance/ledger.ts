// What is true at a glance: sums of few buckets, as quick with ten million records as with ten.

import type { Overview } from '../../contract/days.ts';
import type { Till } from '../../contract/setup.ts';
import type { Range } from '../records/ledger.ts';

export interface Glance {
  /** What is true of a store day of a journal. Takes no longer with ten million records than with ten. */
  getOverview(query: OverviewQuery): Promise<Overview>;
  /**
   * A journal's tills by label, with all their keys and the NEW records of each of `week`: ranges of epoch seconds that begin
   * and end on quarter hours.
   */
  listTills(journalId: number, week: readonly Range[]): Promise<Till[]>;
  /** Whether nothing comes from tills, and by their habits nothing will for the next hour. */
  isQuiet(): Promise<boolean>;
}

export interface OverviewQuery {
  readonly journalId: number;
  /** A store day, in epoch seconds; it begins and ends on quarter hours. */
  readonly day: Range;
  /** The zone of the wall clock; IANA name. */
  readonly timeZone: string;
  /** Epoch milliseconds. */
  readonly now: number;
}
