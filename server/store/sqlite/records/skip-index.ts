// Uses the counts as an index. They show which quarter hours have records of a type or till, or deliveries in a state. So a
// search for rare records skips many years in one step.

import type { DeliveryState } from '../../../contract/codes.ts';
import type { SearchOrder } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { DAY, QUARTER } from './count.ts';
import { ORDER, type RecordStream } from './record-stream.ts';

/**
 * What a quarter hour must have: records of this type and till, and deliveries in this state. The day of the quarter hour must
 * have a record with this amount.
 */
export interface Wanted {
  readonly journalId: number;
  /** The type; null for any type. */
  readonly type: string | null;
  readonly tillId: number | null;
  readonly delivery: DeliveryState | undefined;
  /** An exact decimal with a point. */
  readonly amount: string | undefined;
  /** The starts of the earliest and the latest quarter hour to search, in epoch seconds. */
  readonly earliest: number;
  readonly latest: number;
}

/**
 * Searches from `at` on, in the order of the search, for the first quarter hour that may have the wanted content. Returns its
 * start in epoch seconds; undefined if there is none.
 */
export type FindQuarter = (wanted: Wanted, at: number) => number | undefined;

/** SQL that finds buckets with records of a stream. Exported, like `deliverySql`, for query-plan tests. */
export function bucketSql({ interface: by, status }: RecordStream, order: SearchOrder, width: number): string {
  return `
  SELECT starts_at FROM counts
  WHERE journal_id = @journalId AND interface = '${by}' AND status = '${status}' AND width = ${width}
    AND starts_at BETWEEN @low AND @high AND (@type IS NULL OR type = @type) AND (@tillId IS NULL OR till_id = @tillId)
  ORDER BY starts_at ${ORDER[order]} LIMIT 1`;
}

/** SQL that finds quarter hours with deliveries of a stream. */
export function deliverySql({ interface: by, status }: RecordStream, order: SearchOrder): string {
  return `
  SELECT starts_at FROM delivery_counts
  WHERE lane_id = (SELECT id FROM lanes WHERE journal_id = @journalId AND interface = '${by}')
    AND state = @delivery AND status = '${status}' AND starts_at BETWEEN @low AND @high
  ORDER BY starts_at ${ORDER[order]} LIMIT 1`;
}

/** SQL that finds days on which an amount was sold. */
export function amountDaySql(order: SearchOrder): string {
  return `
  SELECT starts_at FROM amount_days
  WHERE journal_id = @journalId AND amount = @amount AND starts_at BETWEEN @low AND @high
  ORDER BY starts_at ${ORDER[order]} LIMIT 1`;
}

/** Opens the skip index of one stream in one order. */
export function openSkipIndex(db: Connection, stream: RecordStream, order: SearchOrder): FindQuarter {
  const prepare = (sql: string) => db.prepare<unknown[], number>(sql).pluck();
  const findQuarterOfDay = prepare(bucketSql(stream, order, QUARTER));
  const findDay = prepare(bucketSql(stream, order, DAY));
  const findDelivery = prepare(deliverySql(stream, order));
  const findAmountDay = prepare(amountDaySql(order));
  const dayOf = (at: number): number => Math.floor(at / DAY) * DAY;
  const isNewest = order === 'newest';

  /** Returns the bounds of a query: from `at` to the end of the range, in the order of the search. */
  const from = (at: number, first: number, last: number) =>
    isNewest ? { low: first, high: Math.min(at, last) } : { low: Math.max(at, first), high: last };

  function findRecords({ journalId, type, tillId, earliest, latest }: Wanted, at: number): number | undefined {
    if (type === null && tillId === null) return at;
    const scope = { journalId, type, tillId };
    const findIn = (day: number, quarter: number): number | undefined =>
      findQuarterOfDay.get({ ...scope, ...from(quarter, day, day + DAY - QUARTER) });
    const today = dayOf(at);
    const found = findIn(today, at);
    if (found !== undefined) return found;
    const day = findDay.get({
      ...scope,
      ...from(isNewest ? today - DAY : today + DAY, dayOf(earliest), dayOf(latest)),
    });
    return day === undefined ? undefined : findIn(day, isNewest ? day + DAY - QUARTER : day);
  }

  function findDeliveries({ journalId, delivery, earliest, latest }: Wanted, at: number): number | undefined {
    return delivery === undefined ? at : findDelivery.get({ journalId, delivery, ...from(at, earliest, latest) });
  }

  function findAmount({ journalId, amount, earliest, latest }: Wanted, at: number): number | undefined {
    if (amount === undefined) return at;
    const today = dayOf(at);
    const day = findAmountDay.get({ journalId, amount, ...from(today, dayOf(earliest), dayOf(latest)) });
    if (day === undefined) return undefined;
    if (day === today) return at;
    return isNewest ? day + DAY - QUARTER : day;
  }

  return (wanted, start) => {
    let at = start;
    while (at >= wanted.earliest && at <= wanted.latest) {
      const before = at;
      for (const find of [findAmount, findRecords, findDeliveries]) {
        const found = find(wanted, at);
        if (found === undefined) return undefined;
        at = found;
      }
      if (at === before) return at; // no look-up moved `at`, so this quarter hour has all of the wanted content
    }
    return undefined;
  };
}
