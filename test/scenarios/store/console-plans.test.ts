// The query plans of the console. Each query uses an index, and no query that reads a page of rows needs to sort.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { AMOUNT_DAY_SQL } from '../../../server/store/sqlite/amounts/amount-day.ts';
import { FILL_SQL } from '../../../server/store/sqlite/amounts/fill.ts';
import { rereadSql } from '../../../server/store/sqlite/amounts/recount.ts';
import { SUGGESTION_SQL } from '../../../server/store/sqlite/amounts/suggestion.ts';
import { DAY_SUM_SQL } from '../../../server/store/sqlite/days/single-day.ts';
import { SOLD_IDS_SQL } from '../../../server/store/sqlite/days/sold-id.ts';
import { databasePath, openDatabase } from '../../../server/store/sqlite/engine/database.ts';
import { SOLD_SQL } from '../../../server/store/sqlite/glance/habit.ts';
import { OVERVIEW_SQL } from '../../../server/store/sqlite/glance/overview.ts';
import { TILL_SUM_SQL } from '../../../server/store/sqlite/glance/till.ts';
import { migrate } from '../../../server/store/sqlite/migrations.ts';
import { OUTAGES_SQL } from '../../../server/store/sqlite/outbox/outage.ts';
import { COUNT_STATE_SQL, fewSql } from '../../../server/store/sqlite/records/delivery-search.ts';
import { idSql, NEXT_RESOURCE_SQL, skimSql } from '../../../server/store/sqlite/records/id-search.ts';
import { REPEATS_SQL } from '../../../server/store/sqlite/records/record-detail.ts';
import { STREAMS } from '../../../server/store/sqlite/records/record-stream.ts';
import { TOTAL_SQL } from '../../../server/store/sqlite/records/record-total.ts';
import { openRefusalGroups, REFUSAL_GROUPS_SQL, REFUSALS_SQL } from '../../../server/store/sqlite/records/refusal.ts';
import { saleSql } from '../../../server/store/sqlite/records/sale-search.ts';
import { amountDaySql, bucketSql, deliverySql } from '../../../server/store/sqlite/records/skip-index.ts';
import { STATUSES_SQL } from '../../../server/store/sqlite/setup/journal.ts';
import { TASK_SOURCES_SQL } from '../../../server/store/sqlite/tasks/task.ts';

const NUMBERS = [
  'journalId',
  'from',
  'to',
  'now',
  'latest',
  'since',
  'limit',
  'width',
  'recordId',
  'soldAt',
  'low',
  'high',
  'stream',
  'after',
  'fillTo',
  'id',
  'skip',
];
const TEXTS = [
  'externalId',
  'status',
  'type',
  'tillId',
  'delivery',
  'prefix',
  'end',
  'resource',
  'interface',
  'idEnd',
  'boundary',
  'currency',
  'amount',
  'rules',
];
const PARAMETERS = Object.fromEntries([
  ...NUMBERS.map((name) => [name, 1]),
  ...TEXTS.map((name) => [name, 'a']),
]) as object;

const folder = mkdtempSync(join(tmpdir(), 'counterfoil-test-'));
const db = openDatabase(databasePath(folder), 'write');
migrate(db);
openRefusalGroups(db); // registers the SQL function that the query needs
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

function planOf(sql: string): string[] {
  return (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(PARAMETERS) as { detail: string }[]).map(({ detail }) => detail);
}

const COUNTS = 'SEARCH counts USING PRIMARY KEY (journal_id=? AND interface=? AND status=? AND width=?';
const AMOUNTS_IN_TIME =
  'SEARCH amount_sums USING PRIMARY KEY (rule_id=? AND journal_id=? AND interface=? AND status=? AND width=? AND starts_at>? AND starts_at<?)';
const IN_TIME = `${COUNTS} AND starts_at>? AND starts_at<?)`;
const DELIVERY_COUNTS =
  'SEARCH delivery_counts USING PRIMARY KEY (lane_id=? AND state=? AND status=? AND starts_at>? AND starts_at<?)';

test.each([
  ['the buckets of a day', OVERVIEW_SQL.buckets, IN_TIME],
  ['the deliveries of a day', OVERVIEW_SQL.deliveries, DELIVERY_COUNTS],
  ['all deliveries', OVERVIEW_SQL.total, 'SEARCH lanes USING INDEX sqlite_autoindex_lanes_1 (journal_id=?)'],
  [
    'the last record',
    OVERVIEW_SQL.lastCurrent,
    'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=? AND sold_at<?)',
  ],
  [
    'the last record of the earlier interface',
    OVERVIEW_SQL.lastEarlier,
    'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=? AND sold_at<?)',
  ],
  ['the outages of a day', OUTAGES_SQL, 'SEARCH outages USING INDEX outages_by_end (lane_id=? AND to_at>?)'],
  ['the conflicts of all days', TASK_SOURCES_SQL.conflicts, `${COUNTS})`],
  [
    'the last rejection of each lane',
    TASK_SOURCES_SQL.held,
    'SEARCH delivery_counts USING PRIMARY KEY (lane_id=? AND state=?)',
  ],
  ['refusals by cause', REFUSAL_GROUPS_SQL, 'SEARCH refusals USING INDEX refusals_by_time (at>?)'],
  ['the latest refusal', REFUSAL_GROUPS_SQL, 'SEARCH refusals USING INDEX refusals_by_time (at=? AND key_id=?)'],
  ['the amounts of a day by till', OVERVIEW_SQL.amounts, AMOUNTS_IN_TIME],
  ['the amounts of a day by type and till', DAY_SUM_SQL.amounts, AMOUNTS_IN_TIME],
  ['the amounts of the days of a year', AMOUNT_DAY_SQL.utcDays, AMOUNTS_IN_TIME],
  ['the amounts of a part of a day', AMOUNT_DAY_SQL.quarters, AMOUNTS_IN_TIME],
  ['the amounts of a part of a day, in one currency', AMOUNT_DAY_SQL.oneCurrency, AMOUNTS_IN_TIME],
  ['the types of the newest sales', SUGGESTION_SQL.types, 'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=?)'],
  ['the newest sales of a type', SUGGESTION_SQL.samples, 'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=?)'],
  ['old records to read', FILL_SQL.rows, 'SEARCH records USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  ['sums of replaced rules', FILL_SQL.remove, 'SEARCH amount_sums USING PRIMARY KEY (rule_id=?)'],
  ['the week of a till', TILL_SUM_SQL, IN_TIME],
  ['the usual sales of tills', SOLD_SQL, IN_TIME],
  ['the repeats of a record', REPEATS_SQL, 'SEARCH records USING INDEX duplicates (journal_id=? AND external_id=?)'],
  ['the records of every journal', STATUSES_SQL, `${COUNTS})`],
  ['a total of records', TOTAL_SQL.records, IN_TIME],
  ['a total of deliveries', TOTAL_SQL.deliveries, DELIVERY_COUNTS],
  [
    'the number of deliveries in a state',
    COUNT_STATE_SQL,
    'SEARCH lanes USING INDEX sqlite_autoindex_lanes_1 (journal_id=?)',
  ],
  [
    'deliveries of a small waiting set',
    fewSql('waiting'),
    'SEARCH deliveries USING COVERING INDEX waiting_deliveries (lane_id=?)',
  ],
  [
    'deliveries of a small held set',
    fewSql('held'),
    'SEARCH deliveries USING COVERING INDEX held_deliveries (lane_id=?)',
  ],
  [
    'deliveries of a small set aside',
    fewSql('set aside'),
    'SEARCH deliveries USING COVERING INDEX deliveries_set_aside (lane_id=?)',
  ],
])('%s: no full scan of a table', (_name, sql, expected) => {
  const plan = planOf(sql);
  expect(plan).toContain(expected);
  expect(
    plan.filter((step) =>
      /SCAN (records|sales|amount_sums|deliveries|counts|delivery_counts|refusals|outages)/.test(step),
    ),
  ).toEqual([]);
});

describe('is read in the order of an index, without a sort:', () => {
  test.each(STREAMS)('records of the $interface interface with status $status by sale', (stream) => {
    for (const [order, beyond] of [
      ['newest', '<'],
      ['oldest', '>'],
    ] as const) {
      const planned = (part: 'sameSecond' | 'furtherSeconds') => planOf(saleSql(stream, order, part, ['type']));
      const using = 'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=?';
      expect(planned('sameSecond')).toEqual([`${using} AND sold_at=? AND record_id${beyond}?)`]);
      expect(planned('furtherSeconds')).toEqual([`${using} AND sold_at>? AND sold_at<?)`]);
      expect(planOf(bucketSql(stream, order, 900))).toEqual([IN_TIME]);
      expect(planOf(deliverySql(stream, order))[0]).toBe(DELIVERY_COUNTS);
      const withAll = planOf(saleSql(stream, order, 'furtherSeconds', ['type', 'tillId', 'delivery']));
      expect(withAll.filter((step) => /SCAN|TEMP/.test(step))).toEqual([]);
    }
  });

  test.each([
    ['originals', 'journal_id=?', 'rowid'],
    ['earlier_originals', 'journal_id=? AND type=?', 'rowid'],
    ['duplicates', 'journal_id=?', 'id'],
  ] as const)('%s by id', (stream, scope, id) => {
    const using = `SEARCH records USING COVERING INDEX ${stream} (${scope}`;
    expect(planOf(idSql(stream, 'sameId'))).toEqual([`${using} AND external_id=? AND ${id}>?)`]);
    expect(planOf(idSql(stream, 'furtherIds'))).toEqual([`${using} AND external_id>? AND external_id<?)`]);
    const ofInterface = planOf(idSql(stream, 'furtherIds', ['interface = @interface']));
    expect(ofInterface).toEqual([expect.stringContaining(`INDEX ${stream} (${scope} AND external_id>?`)]);
  });

  test.each([
    ['originals', 'journal_id=?'],
    ['earlier_originals', 'journal_id=? AND type=?'],
    ['duplicates', 'journal_id=?'],
  ] as const)('%s by the end of an id', (stream, scope) => {
    const using = `SEARCH records USING COVERING INDEX ${stream} (${scope} AND external_id>? AND external_id<?)`;
    expect(planOf(skimSql(stream, 'boundary'))).toEqual([using]);
    expect(planOf(skimSql(stream, 'matches'))).toEqual([using]);
  });

  test.each(['newest', 'oldest'] as const)('records with an amount by sale, the %s first', (order) => {
    expect(planOf(amountDaySql(order))).toEqual([
      'SEARCH amount_days USING PRIMARY KEY (journal_id=? AND amount=? AND starts_at>? AND starts_at<?)',
    ]);
    for (const stream of STREAMS)
      for (const part of ['sameSecond', 'furtherSeconds'] as const) {
        const plan = planOf(saleSql(stream, order, part, ['type', 'tillId', 'delivery', 'idEnd', 'amount']));
        expect(plan.filter((step) => /SCAN|TEMP/.test(step))).toEqual([]);
        expect(plan.join()).toContain('SEARCH amount_rules USING INDEX amount_rules_in_force');
      }
  });

  test('the check of amounts looks up each day', () => {
    expect(planOf(rereadSql(db, 'true'))).toContain(
      'SEARCH amount_days USING PRIMARY KEY (journal_id=? AND amount=? AND starts_at=?)',
    );
  });

  test('the ids of a range by sale', () => {
    expect(planOf(SOLD_IDS_SQL)).toEqual([
      'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=? AND sold_at>? AND sold_at<?)',
      'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH keys USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH tills USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
  });

  test('refusals by time', () => {
    const plan = planOf(REFUSALS_SQL);
    expect(plan.slice(0, 1)).toEqual(['SCAN refusals USING INDEX refusals_by_time']);
    expect(plan.filter((step) => /TEMP/.test(step))).toEqual(['USE TEMP B-TREE FOR LAST TERM OF ORDER BY']);
  });

  test('the resources of the earlier interface, with one search for each', () => {
    expect(planOf(NEXT_RESOURCE_SQL)).toEqual([
      'SEARCH records USING COVERING INDEX earlier_originals (journal_id=? AND type>?)',
    ]);
  });
});
