// The screen Today: records, tills, lanes and outages of the current store day.

import type { DeliveryState, StatusCounts } from './codes.ts';
import type { StoreDay } from './days.ts';
import type { Sureness } from './gaps.ts';
import type { LaneView, OutageView } from './lanes.ts';
import type { MachineView, StoreTrouble } from './machine.ts';

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

/** A till without sales at a time when it usually sells. */
export interface Silence {
  /** Time of the last call. */
  readonly since: number;
  readonly sureness: Sureness;
}
