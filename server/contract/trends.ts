// The screen Trends: the sales of some store days by till and hour, and the times in which lanes did not run.

import type { Interface } from './codes.ts';
import type { StoreDay } from './days.ts';
import type { Outage } from './lanes.ts';

/** Two months. */
export const MAX_TREND_DAYS = 62;

/** GET /api/trends?journal=ID&from=DATE&to=DATE, both ends included, at most `MAX_TREND_DAYS` days. */
export interface TrendsView extends Trends {
  readonly now: number;
  /** The current store day. */
  readonly today: string;
  /** The store day of the first sale; null if there is none. */
  readonly first: string | null;
  /** Oldest first. */
  readonly days: readonly StoreDay[];
  /** Lanes with an upstream, that of the current interface first. */
  readonly lanes: readonly { readonly id: number; readonly interface: Interface }[];
}

export interface Trends {
  /** Tills that sold on one of the days, by label. */
  readonly tills: readonly TillTrend[];
  /** In order. */
  readonly outages: readonly Outage[];
}

export interface TillTrend {
  readonly id: number;
  readonly label: string;
  /** NEW records of both interfaces: for each day, 24 numbers, by the hour of the wall clock in which they were sold. */
  readonly hours: readonly (readonly number[])[];
}
