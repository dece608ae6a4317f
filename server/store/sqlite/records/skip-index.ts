// The counts as an index of what is where: they tell which quarter hours hold records of a type or a till, or deliveries in a
// state, so that a search for what is rare passes over years at a step.

import type { DeliveryState } from '../../../contract/codes.ts';
import type { SearchOrder } from '../../records/ledger.ts';
import type { Connection } from '../engine/database.ts';
import { DAY, QUARTER } from './count.ts';
import { ORDER, type RecordStream } from './record-stream.ts';

/** What a quarter hour is to hold: records of this type and till, and deliveries in this state. */
export interface Wanted {
  readonly journalId: number;
  /** Null for any. */
  readonly type: string | null;
  readonly tillId: number | null;
  readonly delivery: DeliveryState | undefined;
  /** The starts of the earliest and the latest quarter hour that come into question. */
  readonly earliest: number;
  readonly latest: number;
}

/** Finds the start of the first quarter hour, from the one that starts at `at` on, that may hold what is wanted. */
export type FindQuarter = (wanted: Wanted, at: number) => number | undefined;

/** Buckets with records of a stream. Exported for the test that asserts the query plans, as is the other. */
export function bucketSql({ interface: by, status }: RecordStream, order: SearchOrder, width: number): string {
  return `
  SELECT starts_at FROM counts
  WHERE journal_id = @journalId AND interface = '${by}' AND status = '${status}' AND width = ${width}
    AND starts_at BETWEEN @low AND @high AND (@type IS NULL OR type = @type) AND (@tillId IS NULL OR till_id = @tillId)
  ORDER BY starts_at ${ORDER[order]} LIMIT 1`;
}

/** Quarter hours with deliveries of a stream. */
export function deliverySql({ interface: by, status }: RecordStream, order: SearchOrder): string {
  return `
  SELECT starts_at FROM delivery_counts
  WHERE lane_id = (SELECT id FROM lanes WHERE journal_id = @journalId AND interface = '${by}')
    AND state = @delivery AND status = '${status}' AND starts_at BETWEEN @low AND @high
  ORDER BY starts_at ${ORDER[order]} LIMIT 1`;
}

/** For one stream in one order. */
export function openSkipIndex(db: Connection, stream: RecordStream, order: SearchOrder): FindQuarter {
  const prepare = (sql: string) => db.prepare<unknown[], number>(sql).pluck();
  const findQuarterOfDay = prepare(bucketSql(stream, order, QUARTER));
  const findDay = prepare(bucketSql(stream, order, DAY));
  const findDelivery = prepare(deliverySql(stream, order));
  const dayOf = (at: number): number => Math.floor(at / DAY) * DAY;
  const isNewest = order === 'newest';

  /** As bounds of a query: from `at` on, in the order of the search, to the end that is given. */
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

  return (wanted, start) => {
    let at = start;
    while (at >= wanted.earliest && at <= wanted.latest) {
      const withRecords = findRecords(wanted, at);
      const withBoth = withRecords === undefined ? undefined : findDeliveries(wanted, withRecords);
      if (withBoth === undefined || withBoth === withRecords) return withBoth;
      at = withBoth;
    }
    return undefined;
  };
}
