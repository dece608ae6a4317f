// Counts the records of store days, for example of a year, and their forwarding state. The count of a day is the sum up to its
// end minus the sum up to its start. Each sum adds whole UTC days and the quarter hours of the last, partial UTC day. So a year
// takes the same time with ten million records as with ten, in any zone.

import { DELIVERY_STATES, type DeliveryState, type Interface, INTERFACES } from '../../../contract/codes.ts';
import type { StoreDay } from '../../../contract/days.ts';
import type { SentCounts, DayCounts, DaysQuery } from '../../days/ledger.ts';
import type { Range } from '../../records/ledger.ts';
import { openAmountDayReader } from '../amounts/amount-day.ts';
import type { Connection } from '../engine/database.ts';
import { DAY, QUARTER } from '../records/count.ts';

/** Exported for the test that asserts the query plans. */
export const DAY_SQL = {
  utcDays: `
    SELECT starts_at AS startsAt, sum(records) AS records FROM counts
    WHERE journal_id = @journalId AND interface = @by AND status = 'NEW' AND width = ${DAY}
      AND starts_at >= @from AND starts_at < @to GROUP BY starts_at`,
  quarters: `
    SELECT coalesce(sum(records), 0) FROM counts
    WHERE journal_id = @journalId AND interface = @by AND status = 'NEW' AND width = 900
      AND starts_at >= @from AND starts_at < @to`,
  lane: 'SELECT id FROM lanes WHERE journal_id = @journalId AND interface = @by',
  hasState: `
    SELECT EXISTS (
      SELECT 1 FROM delivery_counts
      WHERE lane_id = @laneId AND state = @state AND status = 'NEW' AND starts_at >= @from AND starts_at < @to)`,
  deliveries: `
    SELECT coalesce(sum(deliveries), 0) AS deliveries, max(last_at) AS lastAt FROM delivery_counts
    WHERE lane_id = @laneId AND state = @state AND status = 'NEW' AND starts_at >= @from AND starts_at < @to`,
  damaged: `
    SELECT sold_at FROM damaged_records CROSS JOIN records ON records.id = record_id
    WHERE journal_id = @journalId AND status = 'NEW' AND sold_at >= @from AND sold_at < @to`,
  first: `
    SELECT min(starts_at) FROM counts
    WHERE journal_id = @journalId AND interface = @by AND status = 'NEW' AND width = ${QUARTER} AND starts_at >= 0`,
};

/** Returns a reader of the counts of store days. The counts have the order of the days. */
export function openDayReader(db: Connection): (query: DaysQuery) => DayCounts[] {
  const selectUtcDays = db.prepare<unknown[], { startsAt: number; records: number }>(DAY_SQL.utcDays);
  const sumQuarters = db.prepare<unknown[], number>(DAY_SQL.quarters).pluck();
  const selectLane = db.prepare<unknown[], number>(DAY_SQL.lane).pluck();
  const hasState = db.prepare<unknown[], 0 | 1>(DAY_SQL.hasState).pluck();
  const sumDeliveries = db.prepare<unknown[], { deliveries: number; lastAt: number | null }>(DAY_SQL.deliveries);
  const sumAmounts = openAmountDayReader(db);
  const selectDamaged = db.prepare<unknown[], number>(DAY_SQL.damaged).pluck();

  /** Counts the NEW records of each day. */
  function countSold(journalId: number, by: Interface, days: readonly StoreDay[]): number[] {
    const all = rangeOf(days);
    const scope = { journalId, by };
    const utcDays = new Map(
      selectUtcDays
        .all({ ...scope, from: utcDayOf(all.from), to: all.to })
        .map(({ startsAt, records }) => [startsAt, records]),
    );
    /**
     * Counts the records sold between the start of a UTC day and an instant of that day. It adds the quarter hours before the
     * instant, or subtracts the later quarter hours from the whole day, whichever are fewer.
     */
    const countBefore = (at: number): number => {
      const from = utcDayOf(at);
      const whole = utcDays.get(from) ?? 0;
      if (whole === 0 || at === from) return 0;
      return at - from <= DAY / 2
        ? (sumQuarters.get({ ...scope, from, to: at }) ?? 0)
        : whole - (sumQuarters.get({ ...scope, from: at, to: from + DAY }) ?? 0);
    };
    // The ends are enough, because each day begins at the end of the previous day.
    const before = [all.from, ...days.map(({ to }) => to)].map(countBefore);
    return days.map(({ from, to }, i) => {
      let sum = (before[i + 1] ?? 0) - (before[i] ?? 0);
      for (let at = utcDayOf(from); at < utcDayOf(to); at += DAY) sum += utcDays.get(at) ?? 0;
      return sum;
    });
  }

  /**
   * Returns a counter of the deliveries of one day within `all`. SQLite calculates the sums, because a year has tens of
   * thousands of quarter hours. Most lanes have deliveries of one state only, so other states cost no query per day.
   */
  function openSentCounter(journalId: number, by: Interface, all: Range): (day: Range) => SentCounts {
    const laneId = selectLane.get({ journalId, by }) ?? null;
    const states = DELIVERY_STATES.filter((state) => hasState.get({ laneId, state, ...all }) === 1);
    return ({ from, to }) => {
      const deliveries = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0])) as Record<
        DeliveryState,
        number
      >;
      let lastAnsweredAt: number | null = null;
      for (const state of states) {
        const sums = sumDeliveries.get({ laneId, state, from, to });
        deliveries[state] = sums?.deliveries ?? 0;
        if (state === 'delivered') lastAnsweredAt = sums?.lastAt ?? null;
      }
      return { deliveries, lastAnsweredAt };
    };
  }

  return ({ journalId, days }: DaysQuery): DayCounts[] => {
    if (days.length === 0) return [];
    const [here = [], earlier = []] = INTERFACES.map((by) => countSold(journalId, by, days));
    const counted = days.map((day, i) => ({ ...day, records: (here[i] ?? 0) + (earlier[i] ?? 0) }));
    const amounts = sumAmounts(journalId, counted);
    const damaged = selectDamaged.all({ journalId, ...rangeOf(days) });
    const countSent = openSentCounter(journalId, 'current', rangeOf(days));
    const countEarlierSent = openSentCounter(journalId, 'earlier', rangeOf(days));
    return days.map((day, i) => ({
      here: here[i] ?? 0,
      earlier: earlier[i] ?? 0,
      amounts: amounts[i] ?? null,
      damaged: damaged.filter((soldAt) => soldAt >= day.from && soldAt < day.to).length,
      ...countSent(day),
      earlierSent: countEarlierSent(day),
    }));
  };
}

/** The start of the quarter hour of a journal's first sale, in epoch seconds; undefined without sales. */
export function openFirstSaleReader(db: Connection): (journalId: number) => number | undefined {
  const select = db.prepare<unknown[], number | null>(DAY_SQL.first).pluck();
  return (journalId) => {
    const firsts = INTERFACES.map((by) => select.get({ journalId, by })).filter((first) => typeof first === 'number');
    return firsts.length === 0 ? undefined : Math.min(...firsts);
  };
}

function rangeOf(days: readonly StoreDay[]): Range {
  return { from: days[0]?.from ?? 0, to: days.at(-1)?.to ?? 0 };
}

function utcDayOf(at: number): number {
  return Math.floor(at / DAY) * DAY;
}
