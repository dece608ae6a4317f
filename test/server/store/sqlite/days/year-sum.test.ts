// How many records and deliveries a store day has. The sums of buckets must equal a count of the records one by one.

import { expect, test } from 'vitest';

import type { DayRule } from '../../../../../server/contract/days.ts';
import { always, listStoreDays } from '../../../../../server/store-day.ts';
import { DAY_RECORD_SQL } from '../../../../../server/store/sqlite/days/day-record.ts';
import { DAY_SUM_SQL } from '../../../../../server/store/sqlite/days/single-day.ts';
import { DAY_SQL } from '../../../../../server/store/sqlite/days/year-sum.ts';
import { databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { migrate } from '../../../../../server/store/sqlite/migrations.ts';
import { KEPT_SQL } from '../../../../../server/store/sqlite/outbox/outage-diary.ts';
import { FINDINGS_SQL } from '../../../../../server/store/sqlite/verdicts/finding.ts';
import { SIGN_OFFS_SQL } from '../../../../../server/store/sqlite/verdicts/sign-off.ts';
import { DATE_SQL, LATEST_SQL, PASSES_SQL } from '../../../../../server/store/sqlite/verdicts/verdict.ts';
import { flipRecord } from '../../../../support/damage.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

const at = (instant: string): number => Date.parse(instant) / 1000;

const ruleOf = (timeZone: string, cutOff = 0): DayRule => ({ timeZone, dayStartsAt: cutOff * 60 });

test('a damaged NEW record is counted on its day, in its journal', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  const other = await makeKey(store, 'Till 2', { mode: 'test' });
  for (const instant of ['2016-10-29T12:00:00Z', '2016-10-30T12:00:00Z', '2016-10-30T12:00:00Z'])
    await store.records.append(arrivalOf(key, { externalId: instant, soldAt: at(instant) }));
  await store.records.append(arrivalOf(other, { externalId: 'elsewhere', soldAt: at('2016-10-30T12:00:00Z') }));
  for (const recordId of [1, 2, 3, 4]) flipRecord(dataDir, recordId);
  await store.health.scrubSlice();
  const days = listStoreDays('2016-10-28', '2016-10-31', always(ruleOf('UTC')));
  const counts = await store.days.count({ journalId: key.journalId, days });
  expect(counts.map(({ damaged }) => damaged)).toEqual([0, 1, 1, 0]);
});

const IN_TIME =
  'SEARCH counts USING PRIMARY KEY (journal_id=? AND interface=? AND status=? AND width=? AND starts_at>? AND starts_at<?)';

const DELIVERIES_IN_TIME =
  'SEARCH delivery_counts USING PRIMARY KEY (lane_id=? AND state=? AND status=? AND starts_at>? AND starts_at<?)';

const OF_KIND = 'SEARCH findings USING PRIMARY KEY (verdict_id=? AND kind=?)';
/** The steps that add the record, till and delivery to a finding. */
const JOINED = ['records', 'keys', 'tills', 'deliveries'].map(
  (table) => `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN`,
);

test.each<[name: string, sql: string, plan: string[]]>([
  [
    'the damaged records',
    DAY_SQL.damaged,
    ['SCAN damaged_records', 'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)'],
  ],
  ['the records of UTC days', DAY_SQL.utcDays, [IN_TIME]],
  ['the quarter hours of a UTC day', DAY_SQL.quarters, [IN_TIME]],
  ['the deliveries of a day', DAY_SQL.deliveries, [DELIVERIES_IN_TIME]],
  [
    'the first sale',
    DAY_SQL.first,
    ['SEARCH counts USING PRIMARY KEY (journal_id=? AND interface=? AND status=? AND width=? AND starts_at>?)'],
  ],
  [
    'the records of a day',
    DAY_RECORD_SQL.list,
    [
      'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=? AND sold_at>? AND sold_at<?)',
      'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH deliveries USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
    ],
  ],
  [
    'the position of a record',
    DAY_RECORD_SQL.place,
    ['SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=? AND sold_at>? AND sold_at<?)'],
  ],
  [
    'a record by its id',
    DAY_RECORD_SQL.byId,
    [
      'SEARCH records USING INDEX originals (journal_id=? AND external_id=?)',
      'SEARCH deliveries USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
    ],
  ],
  ['the sums of a day', DAY_SUM_SQL.buckets, [IN_TIME, 'USE TEMP B-TREE FOR GROUP BY']],
  [
    'missing records by type and till',
    DAY_SUM_SQL.missing,
    [
      OF_KIND,
      'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH keys USING INTEGER PRIMARY KEY (rowid=?)',
      'USE TEMP B-TREE FOR GROUP BY',
    ],
  ],
  ['arrivals during an outage', KEPT_SQL, ['SEARCH deliveries USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)']],
  [
    'the newest verdicts',
    LATEST_SQL,
    [
      'SEARCH verdicts USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 1',
      'SEARCH verdicts USING COVERING INDEX verdicts_by_day (journal_id=? AND date>? AND date<?)',
    ],
  ],
  [
    'the first date with a verdict',
    DATE_SQL,
    ['SEARCH verdicts USING COVERING INDEX verdicts_by_day (journal_id=? AND date>?)'],
  ],
  [
    'the last comparison of every id',
    PASSES_SQL,
    [
      'SEARCH verdicts USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 1',
      'SEARCH verdicts USING INDEX verdicts_by_day (journal_id=? AND date>? AND date<?)',
    ],
  ],
  [
    'the signatures in force',
    SIGN_OFFS_SQL,
    [
      'SEARCH sign_offs USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 1',
      'SEARCH sign_offs USING COVERING INDEX sign_offs_by_day (journal_id=? AND date>? AND date<?)',
    ],
  ],
  ['the records behind a verdict', FINDINGS_SQL.first, [OF_KIND, ...JOINED]],
  [
    'the next page of the records behind a verdict',
    FINDINGS_SQL.next,
    ['SEARCH findings USING PRIMARY KEY (verdict_id=? AND kind=? AND external_id>?)', ...JOINED],
  ],
])('query plan: %s', (_name, sql, expected) => {
  const db = openDatabase(databasePath(temporaryFolder()), 'write');
  migrate(db);
  const names = ['journalId', 'from', 'to', 'limit', 'place', 'width', 'verdictId', 'first', 'end', 'laneId', 'after'];
  const parameters = {
    ...Object.fromEntries(names.map((name) => [name, 1])),
    by: 'current',
    externalId: 'a',
    kind: 'a',
    state: 'delivered',
  };
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as { detail: string }[];
  expect(plan.map(({ detail }) => detail)).toEqual(expected);
  db.close();
});
