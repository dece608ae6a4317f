// The screen Today: records, tills, lanes and outages of the current store day.

import type { AmountSums } from './amounts.ts';
import type { DeliveryState, StatusCounts } from './codes.ts';
import type { StoreDay } from './days.ts';
import type { Sureness } from './gaps.ts';
import type { LaneView, Outage } from './lanes.ts';
import type { MachineState, StoreTrouble } from './machine.ts';

/** The numbers of one store day of a journal. */
export interface Overview {
  /** Number of records sold on the day, by status. */
  readonly records: StatusCounts;
  /** The sums of the day's NEW records. */
  readonly amounts: AmountSums;
  /** Number of NEW records of the day, by delivery state. */
  readonly deliveries: Record<DeliveryState, number>;
  /** Number of records of all days, by delivery state. */
  readonly total: Record<DeliveryState, number>;
  /**
   * The NEW record with the latest time of sale; null if there is none. A record dated far in the future is used only if there
   * is no other NEW record.
   */
  readonly lastRecord: { readonly receivedAt: number; readonly soldAt: number; readonly till: string } | null;
  /** Counts by quarter hour. Quarter hours without records are left out. */
  readonly quarters: readonly QuarterCounts[];
  /** Tills with records on the day or a valid key, sorted by label. */
  readonly tills: readonly TillToday[];
  /** Outages of the journal's lanes that overlap the day. */
  readonly outages: readonly Outage[];
}

/** GET /api/overview?journal=ID: the screen Today. */
export interface OverviewView extends Overview {
  readonly now: number;
  /** The current store day. */
  readonly day: StoreDay;
  readonly lanes: readonly LaneView[];
  /** The reason why the store accepts no records now. Null while it accepts them. */
  readonly trouble: StoreTrouble | null;
  readonly machine: MachineState;
  /** Number of NEW records of all days that are neither upstream nor in a backup on another disk. */
  readonly onlyHere: number;
}

export interface QuarterCounts {
  /** Epoch seconds. */
  readonly startsAt: number;
  readonly records: StatusCounts;
}

export interface TillToday {
  readonly id: number;
  readonly label: string;
  /** Number of NEW records sold on the day. */
  readonly records: number;
  readonly amounts: AmountSums;
  /** Time of the till's last call, on any day. Null if it never called. */
  readonly lastAt: number | null;
  /**
   * Average time between two records of the till on this day, computed from quarter hours. Null with fewer than three records.
   */
  readonly usualGapMs: number | null;
  /** Data about the till's silence; null if the till is not silent. */
  readonly silence: Silence | null;
}

/** A till that sends no sales at a time when it usually sells. */
export interface Silence {
  /** Time of the till's last call, in epoch milliseconds. */
  readonly since: number;
  readonly sureness: Sureness;
}
