// The data of the screen Trends: sales by till and hour for a range of store days, and the times when lanes did not run.

import type { Interface } from './codes.ts';
import type { StoreDay } from './days.ts';
import type { Outage } from './lanes.ts';

/** Two months. */
export const MAX_TREND_DAYS = 62;

/**
 * Answer of GET /api/trends?journal=ID&from=DATE&to=DATE. Both dates are included, and the range has at most `MAX_TREND_DAYS`
 * days.
 */
export interface TrendsView extends Trends {
  readonly now: number;
  /** The current store day. */
  readonly today: string;
  /** The store day of the first sale; null if there is none. */
  readonly first: string | null;
  /** Oldest first. */
  readonly days: readonly StoreDay[];
  /** The lanes that have an upstream. The lane of the current interface comes first. */
  readonly lanes: readonly { readonly id: number; readonly interface: Interface }[];
}

export interface Trends {
  /** The tills that sold on at least one of these days, sorted by label. */
  readonly tills: readonly TillTrend[];
  /** In order. */
  readonly outages: readonly Outage[];
}

export interface TillTrend {
  readonly id: number;
  readonly label: string;
  /**
   * The number of NEW records, by day and then by hour. Each day has 24 numbers, one per hour of the local clock. Includes the
   * records of both interfaces.
   */
  readonly hours: readonly (readonly number[])[];
}
