// The declared totals that apply, and the records that they count. The expected results are counted one by one.

import { expect, test } from 'vitest';

import { IN_FORCE_SQL } from '../../../../../server/store/sqlite/declared/declaration.ts';
import { COMPARISON_SQL } from '../../../../../server/store/sqlite/declared/declared-comparison.ts';
import { DECLARED_ID_SQL } from '../../../../../server/store/sqlite/declared/declared-ids.ts';
import { DECLARED_TOTAL_SQL } from '../../../../../server/store/sqlite/declared/declared-total.ts';
import { databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { migrate } from '../../../../../server/store/sqlite/migrations.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

test('every query follows an index', () => {
  const db = openDatabase(databasePath(temporaryFolder()), 'write');
  migrate(db);
  const names = [
    'journalId',
    'width',
    'declaredId',
    'date',
    'type',
    'tillId',
    'limit',
    'from',
    'to',
    'earlierTypes',
    'after',
    'afterId',
  ];
  const parameters = Object.fromEntries(names.map((name) => [name, 1])) as object;
  const planOf = (sql: string): string[] =>
    (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as { detail: string }[])
      .map(({ detail }) => detail)
      .filter((step) => /^(SEARCH|SCAN)/.test(step));
  const byScope = (columns: string): string => `INDEX declared_totals_by_scope (journal_id=? AND ${columns})`;
  expect(planOf(IN_FORCE_SQL)).toEqual([`SEARCH declared_totals USING ${byScope('date=? AND type=? AND till_id=?')}`]);
  expect(planOf(DECLARED_TOTAL_SQL.inForce)).toEqual([
    'SEARCH declared_totals USING INTEGER PRIMARY KEY (rowid=?)',
    `SEARCH declared_totals USING COVERING ${byScope('date>? AND date<?')}`,
    'SEARCH tills USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
  ]);
  expect(planOf(DECLARED_TOTAL_SQL.date)).toEqual([
    `SEARCH total USING ${byScope('date>?')}`,
    `SEARCH newer USING COVERING ${byScope('date=? AND type=? AND till_id=? AND id>?')}`,
  ]);
  expect(planOf(COMPARISON_SQL.here)).toEqual([
    'SEARCH counts USING PRIMARY KEY (journal_id=? AND interface=? AND status=? AND width=? AND starts_at>? AND starts_at<?)',
  ]);
  const keys = 'SCAN keys'; // a full scan is fine: a shop has a few dozen keys
  expect(planOf(DECLARED_ID_SQL.missing)).toEqual([
    'SEARCH declared_ids USING PRIMARY KEY (declared_id=? AND external_id>?)',
    'SEARCH records USING INDEX originals (journal_id=? AND external_id=?)',
    keys,
    'SEARCH records USING INDEX earlier_originals (journal_id=? AND type=? AND external_id=?)',
    'SCAN json_each VIRTUAL TABLE INDEX 1:',
    keys,
  ]);
  expect(planOf(DECLARED_ID_SQL.undeclared)).toEqual([
    'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=? AND (sold_at,record_id)>(?,?) AND sold_at<?)',
    'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
    keys,
    'SEARCH declared_ids USING PRIMARY KEY (declared_id=? AND external_id=?)',
  ]);
  expect(planOf(DECLARED_ID_SQL.earlierUndeclared)).toEqual([
    'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=? AND (sold_at,record_id)>(?,?) AND sold_at<?)',
    'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
    keys,
    'SEARCH declared_ids USING PRIMARY KEY (declared_id=? AND external_id=?)',
  ]);
  db.close();
});
