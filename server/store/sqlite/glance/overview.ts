// One store day at a glance. Every value is a sum of few buckets, or is found by an index. So reading takes the same time with
// ten million records as with ten.

import type { AmountSums } from '../../../contract/amounts.ts';
import {
  DELIVERY_STATES,
  type DeliveryState,
  type Interface,
  type Status,
  type StatusCounts,
} from '../../../contract/codes.ts';
import type { Overview, QuarterCounts, TillToday } from '../../../contract/overview.ts';
import type { OverviewQuery } from '../../glance/ledger.ts';
import type { Range } from '../../records/ledger.ts';
import {
  type CurrencySums,
  FROM_BUCKETS,
  listSums,
  openCurrencySums,
  openRuleReader,
  SUM_COLUMNS,
  type SumRow,
} from '../amounts/amount-sum.ts';
import type { Connection } from '../engine/database.ts';
import { openOutageReader } from '../outbox/outage.ts';
import { QUARTER } from '../records/count.ts';
import { NEW_STREAM } from '../records/record-stream.ts';
import { openHabitReader } from './habit.ts';
import { judgeSilence } from './silence.ts';

type Deliveries = Record<DeliveryState, number>;
type LastRecord = NonNullable<Overview['lastRecord']>;

interface Bucket {
  readonly status: Status;
  readonly startsAt: number;
  readonly tillId: number;
  readonly records: number;
}

interface TillRow {
  readonly id: number;
  readonly label: string;
  readonly lastAt: number | null;
  readonly isLive: 0 | 1;
}

/** A sale dated more than this number of seconds in the future counts as the last sale only if there is no other sale. */
const MAX_AHEAD_S = 5 * 60;
/** Minimum records to compute the usual gap between sales. */
const MIN_FOR_GAP = 3;

const lastSql = (by: Interface): string => `
  SELECT received_at AS receivedAt, last.sold_at AS soldAt, label AS till
  FROM (
    SELECT record_id, sold_at FROM sales
    WHERE journal_id = @journalId AND stream = ${NEW_STREAM[by]} AND sold_at <= @latest
    ORDER BY sold_at DESC, record_id DESC LIMIT 1
  ) AS last
  JOIN records ON records.id = record_id JOIN keys ON keys.id = key_id JOIN tills ON tills.id = till_id`;

/** Exported for the test that asserts the query plans. */
export const OVERVIEW_SQL = {
  buckets: `
    SELECT status, starts_at AS startsAt, till_id AS tillId, sum(records) AS records FROM counts
    WHERE journal_id = @journalId AND interface IN ('current', 'earlier') AND status IN ('NEW', 'IGNORED', 'ERROR')
      AND width = ${QUARTER} AND starts_at >= @from AND starts_at < @to
    GROUP BY status, starts_at, till_id`,
  amounts: `SELECT till_id AS tillId, ${SUM_COLUMNS} ${FROM_BUCKETS} GROUP BY till_id, currency`,
  deliveries: `
    SELECT delivery_counts.state, sum(deliveries) AS deliveries FROM lanes JOIN delivery_counts ON lane_id = lanes.id
    WHERE journal_id = @journalId AND delivery_counts.state IN ('waiting', 'delivered', 'held', 'set aside')
      AND status = 'NEW' AND starts_at >= @from AND starts_at < @to
    GROUP BY delivery_counts.state`,
  total: `
    SELECT coalesce(sum(waiting), 0) AS waiting, coalesce(sum(delivered), 0) AS delivered, coalesce(sum(held), 0) AS held,
      coalesce(sum(set_aside), 0) AS "set aside"
    FROM lanes WHERE journal_id = @journalId`,
  tills: `
    SELECT tills.id, label, max(last_used_at) AS lastAt,
      max(revoked_at IS NULL AND coalesce(expires_at > @now, 1)) AS isLive
    FROM tills JOIN keys ON till_id = tills.id WHERE journal_id = @journalId GROUP BY tills.id ORDER BY label`,
  lastCurrent: lastSql('current'),
  lastEarlier: lastSql('earlier'),
};

/** Returns a reader of the overview. */
export function openOverviewReader(db: Connection): (query: OverviewQuery) => Overview {
  const selectBuckets = db.prepare<unknown[], Bucket>(OVERVIEW_SQL.buckets);
  const selectDeliveries = db.prepare<unknown[], { state: DeliveryState; deliveries: number }>(OVERVIEW_SQL.deliveries);
  const selectAmounts = db.prepare<unknown[], SumRow & { tillId: bigint }>(OVERVIEW_SQL.amounts).safeIntegers();
  const readRules = openRuleReader(db);
  const selectTotal = db.prepare<unknown[], Deliveries>(OVERVIEW_SQL.total);
  const selectTills = db.prepare<unknown[], TillRow>(OVERVIEW_SQL.tills);
  const selectLast = [OVERVIEW_SQL.lastCurrent, OVERVIEW_SQL.lastEarlier].map((sql) =>
    db.prepare<unknown[], LastRecord>(sql),
  );
  const listOutages = openOutageReader(db);
  const habitsOf = openHabitReader(db);

  function readDeliveries(journalId: number, { from, to }: Range): Deliveries {
    const states = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0])) as Deliveries;
    for (const { state, deliveries } of selectDeliveries.all({ journalId, from, to })) states[state] = deliveries;
    return states;
  }

  /**
   * Sums the amounts of the day and of each till. The returned functions take the number of records, to find how many have no
   * amount.
   */
  function readAmounts(
    journalId: number,
    { from, to }: Range,
  ): { all: (records: number) => AmountSums; ofTill: (id: number, records: number) => AmountSums } {
    const rules = readRules(journalId);
    const scope = { journalId, rules: rules.ids, width: QUARTER, from, to };
    const all = openCurrencySums();
    const tills = new Map<number, CurrencySums>();
    for (const row of rules.filling.size > 0 ? [] : selectAmounts.all(scope)) {
      const id = Number(row.tillId);
      const till = tills.get(id) ?? openCurrencySums();
      tills.set(id, till);
      for (const sums of [all, till]) sums.add(row);
    }
    return {
      all: (records) => listSums(rules, all, records),
      ofTill: (id, records) => listSums(rules, tills.get(id) ?? openCurrencySums(), records),
    };
  }

  function readLast(journalId: number, now: number): LastRecord | null {
    const readUntil = (latest: number): LastRecord[] =>
      selectLast.map((select) => select.get({ journalId, latest })).filter((record) => record !== undefined);
    const records = readUntil(Math.floor(now / 1000) + MAX_AHEAD_S);
    const found = records.length > 0 ? records : readUntil(Number.MAX_SAFE_INTEGER);
    return found.toSorted((a, b) => b.soldAt - a.soldAt)[0] ?? null;
  }

  function listTills(
    { journalId, day, timeZone, now }: OverviewQuery,
    buckets: readonly Bucket[],
    amountsOf: (tillId: number, records: number) => AmountSums,
  ): TillToday[] {
    const rows = selectTills.all({ journalId, now });
    const habits = habitsOf(journalId, day, timeZone, now);
    const hasStoreCalled = rows.some(({ lastAt }) => lastAt !== null && lastAt >= day.from * 1000);
    return rows
      .map((row) => {
        const silence = row.isLive === 1 ? judgeSilence(habits, row, now, hasStoreCalled) : null;
        return describeTill(row, buckets, amountsOf, silence, now);
      })
      .filter((till) => till !== undefined);
  }

  return (query: OverviewQuery): Overview => {
    const { journalId, day, now } = query;
    const { from, to } = day;
    const buckets = selectBuckets.all({ journalId, from, to });
    const amounts = readAmounts(journalId, day);
    const total = selectTotal.get({ journalId });
    if (total === undefined) throw new Error('a sum had no row');
    const sums = sumBuckets(buckets);
    return {
      ...sums,
      amounts: amounts.all(sums.records.NEW),
      deliveries: readDeliveries(journalId, day),
      total,
      lastRecord: readLast(journalId, now),
      tills: listTills(query, buckets, amounts.ofTill),
      outages: listOutages(journalId, day),
    };
  };
}

/** Returns the totals by status for the day, and for each quarter hour in order of time. */
function sumBuckets(buckets: readonly Bucket[]): Pick<Overview, 'records' | 'quarters'> {
  const records = none();
  const quarters = new Map<number, StatusCounts>();
  for (const bucket of buckets) {
    const quarter = quarters.get(bucket.startsAt) ?? none();
    quarters.set(bucket.startsAt, quarter);
    quarter[bucket.status] += bucket.records;
    records[bucket.status] += bucket.records;
  }
  const views = [...quarters].map(([startsAt, counts]): QuarterCounts => ({ startsAt, records: counts }));
  return { records, quarters: views.toSorted((a, b) => a.startsAt - b.startsAt) };
}

const none = (): StatusCounts => ({ NEW: 0, IGNORED: 0, ERROR: 0 });

/** Describes a till. Returns undefined for a till that has neither a valid key nor sales today. */
function describeTill(
  { id, label, lastAt, isLive }: TillRow,
  all: readonly Bucket[],
  amountsOf: (tillId: number, records: number) => AmountSums,
  silence: TillToday['silence'],
  now: number,
): TillToday | undefined {
  const buckets = all.filter(({ tillId, status }) => tillId === id && status === 'NEW');
  const records = buckets.reduce((sum, bucket) => sum + bucket.records, 0);
  if (isLive === 0 && records === 0) return undefined;
  const usualGapMs = records < MIN_FOR_GAP ? null : gapOf(buckets, records, now);
  return { id, label, records, amounts: amountsOf(id, records), lastAt, usualGapMs, silence };
}

/**
 * The average time between sales, in milliseconds. The counted period begins with the first quarter hour that has a sale. It
 * ends with the last such quarter hour, or now if that is earlier.
 */
function gapOf(buckets: readonly Bucket[], records: number, now: number): number {
  const first = Math.min(...buckets.map(({ startsAt }) => startsAt)) * 1000;
  const last = (Math.max(...buckets.map(({ startsAt }) => startsAt)) + QUARTER) * 1000;
  return Math.max(0, Math.min(last, now) - first) / records;
}
