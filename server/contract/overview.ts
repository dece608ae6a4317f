// The screen Today: records, tills, lanes and outages of the current store day.

import type { AmountSums } from './amounts.ts';
import type { DeliveryState, StatusCounts } from './codes.ts';
import type { StoreDay } from './days.ts';
import type { Sureness } from './gaps.ts';
import type { LaneView, Outage } from './lanes.ts';
import type { MachineState, StoreTrouble } from './machine.ts';

/** One store day of a journal at a glance. */
export interface Overview {
  /** Records sold on the day. */
  readonly records: StatusCounts;
  /** Sums of its NEW records. */
  readonly amounts: AmountSums;
  /** Deliveries of its NEW records, by state. */
  readonly deliveries: Record<DeliveryState, number>;
  /** Deliveries of all days, by state. */
  readonly total: Record<DeliveryState, number>;
  /** The last NEW record by time of sale. A record sold far ahead of the gateway's clock is used only if no other exists. */
  readonly lastRecord: { readonly receivedAt: number; readonly soldAt: number; readonly till: string } | null;
  /** Only quarters of an hour with records. */
  readonly quarters: readonly QuarterCounts[];
  /** Tills with records on the day or a valid key, sorted by label. */
  readonly tills: readonly TillToday[];
  /** Outages of its lanes that overlap the day. */
  readonly outages: readonly Outage[];
}

/** GET /api/overview?journal=ID: the screen Today. */
export interface OverviewView extends Overview {
  readonly now: number;
  /** The current store day. */
  readonly day: StoreDay;
  readonly lanes: readonly LaneView[];
  /** Why no records are accepted now; null while they are. */
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
  /** NEW records sold today. */
  readonly records: number;
  readonly amounts: AmountSums;
  /** The time of the till's last call, on any day. */
  readonly lastAt: number | null;
  /** Average time between two records of today, computed from quarter hours; null with fewer than three records. */
  readonly usualGapMs: number | null;
  /** Null unless the till has fallen silent. */
  readonly silence: Silence | null;
}

/** A till without sales at a time when it usually sells. */
export interface Silence {
  /** Time of the last call. */
  readonly since: number;
  readonly sureness: Sureness;
}
