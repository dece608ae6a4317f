import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { type Connection, databasePath, openDatabase } from '../../../../server/store/sqlite/engine/database.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from '../../../../server/store/sqlite/migrations.ts';
import {
  ENDS_SQL,
  TAIL_DUPLICATE_SQL,
  WAITING_SQL,
  WAITING_TAIL_SQL,
} from '../../../../server/store/sqlite/outbox/delivery.ts';
import { HOLDS_AT_SQL, HOLDS_SQL } from '../../../../server/store/sqlite/outbox/held-record.ts';
import { LANE_STATUS_SQL } from '../../../../server/store/sqlite/outbox/lane.ts';
import { MOVE_SQL } from '../../../../server/store/sqlite/outbox/record-act-move.ts';
import {
  actPageSql,
  HAS_DUPLICATES_SQL,
  SOLD_RANGE_SQL,
} from '../../../../server/store/sqlite/outbox/record-act-plan.ts';
import { COUNT_SQL } from '../../../../server/store/sqlite/records/count.ts';
import { FIND_ORIGINAL_SQL, PAGE_SQL } from '../../../../server/store/sqlite/records/record.ts';
import { SALE_FAULT_SQL } from '../../../../server/store/sqlite/records/sale.ts';
import { openTemporaryStore, temporaryFolder } from '../../../support/temp-store.ts';

function migratedDatabase() {
  const db = openDatabase(databasePath(temporaryFolder()), 'write');
  migrate(db);
  return db;
}

/** A database that all migrations have changed, one after the other. */
function databaseOfAllSteps() {
  const db = openDatabase(databasePath(temporaryFolder()), 'write');
  migrate(db, SCHEMA_VERSION - 1);
  migrate(db);
  return db;
}

test('newest-schema.ts is what the migrations create, so that a review shows the effect of a migration', async () => {
  const db = databaseOfAllSteps();
  const statements = db
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    .pluck()
    .all() as string[];
  const note = '// The schema after all migrations. Generated, as docs/how-to-change.md says.';
  await expect(`${note}\n\nexport const NEWEST_SCHEMA = \`${statements.join(';\n\n')};\n\`;\n`).toMatchFileSnapshot(
    join(import.meta.dirname, '../../../../server/store/sqlite/newest-schema.ts'),
  );
  db.close();
});

test('a new database has the same schema and rows as all migrations create', () => {
  const [fresh, migrated] = [migratedDatabase(), databaseOfAllSteps()];
  const schema = (db: Connection) => db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all();
  expect(schema(fresh)).toEqual(schema(migrated));
  expect(schemaVersion(fresh)).toBe(SCHEMA_VERSION);
  const tables = fresh.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  const rowsOf = (db: Connection) =>
    tables.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all().map(withoutSecret)]);
  expect(rowsOf(fresh)).toEqual(rowsOf(migrated));
  for (const db of [fresh, migrated]) db.close();
});

/** A row without its secret, which is random, but with the secret's length. */
function withoutSecret(row: unknown): unknown {
  const { value } = row as { value?: unknown };
  return value instanceof Buffer ? { ...(row as object), value: value.length } : row;
}

test('every table is STRICT', () => {
  const db = migratedDatabase();
  const tables = db
    .prepare("SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'")
    .all();
  expect(tables).not.toEqual([]);
  expect(tables).toEqual(tables.map((table) => ({ ...(table as object), strict: 1 })));
  db.close();
});

test('migrating twice changes nothing', () => {
  const db = migratedDatabase();
  const before = db.prepare('SELECT * FROM secrets').all();
  migrate(db);
  expect(schemaVersion(db)).toBe(SCHEMA_VERSION);
  expect(db.prepare('SELECT * FROM secrets').all()).toEqual(before);
  db.close();
});

test('every connection syncs at each commit, also on an existing database', () => {
  const path = databasePath(temporaryFolder());
  openDatabase(path, 'write').close();
  for (const access of ['write', 'read'] as const) {
    const db = openDatabase(path, access);
    expect(db.pragma('synchronous', { simple: true })).toBe(2);
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.close();
  }
});

test.each([
  ['sameSecond', 'journal_id=? AND stream=? AND sold_at=? AND record_id>? AND record_id<?'],
  ['laterSeconds', 'journal_id=? AND stream=? AND sold_at>? AND sold_at<?'],
] as const)('a page (%s) is read in the order of sale, without a sort', (part, expected) => {
  const db = migratedDatabase();
  const parameters = { journalId: 1, to: 2, soldAt: 1, recordId: 1, type: null, highWaterId: 9, limit: 10 };
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${PAGE_SQL[part]}`).all(parameters) as { detail: string }[];
  expect(plan.map(({ detail }) => detail)).toEqual([
    `SEARCH sales USING PRIMARY KEY (${expected})`,
    'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
  db.close();
});

test.each([
  [
    'a sum of buckets',
    COUNT_SQL.buckets,
    'SEARCH counts USING PRIMARY KEY (journal_id=? AND interface=? AND status=? AND width=? AND starts_at>? AND starts_at<?)',
  ],
  [
    'a count at the edges',
    COUNT_SQL.edges,
    'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=? AND sold_at>? AND sold_at<?)',
  ],
])('%s reads only a range of an index', (_name, sql, expected) => {
  const db = migratedDatabase();
  const parameters = { journalId: 1, from: 1, to: 2, width: 900, type: null };
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as { detail: string }[];
  expect(plan.map(({ detail }) => detail)).toEqual([expected]);
  db.close();
});

test.each([
  ['current', 'originals (journal_id=? AND external_id=?)'],
  ['earlier', 'earlier_originals (journal_id=? AND type=? AND external_id=?)'],
] as const)('the original of a repeated id on the %s interface is found by its index', (by, index) => {
  const db = migratedDatabase();
  const parameters = { journalId: 1, type: 'transaction', externalId: 'a' };
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${FIND_ORIGINAL_SQL[by](db)}`).all(parameters) as { detail: string }[];
  expect(plan.map(({ detail }) => detail)).toEqual([`SEARCH records USING INDEX ${index}`]);
  db.close();
});

test.each([
  [
    'what waits',
    WAITING_SQL,
    [{ laneId: 1, after: 0, version: null, resource: null }],
    ['SEARCH deliveries USING COVERING INDEX waiting_deliveries (lane_id=? AND record_id>?)'],
  ],
  [
    'the ends of the waiting records',
    ENDS_SQL,
    [{ laneId: 1 }],
    ['SEARCH deliveries USING COVERING INDEX waiting_deliveries (lane_id=?)'],
  ],
])('%s is read in order from its index, without a sort', (_name, sql, parameters, expected) => {
  const db = migratedDatabase();
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
  for (const detail of expected) expect(plan.map((step) => step.detail)).toContain(detail);
  expect(plan.map(({ detail }) => detail).filter((detail) => /SCAN (?!CONSTANT)|TEMP/.test(detail))).toEqual([]);
  db.close();
});

test('a lane reads the tail by record id', () => {
  const db = migratedDatabase();
  const planOf = (sql: string): string[] => {
    const parameters = { laneId: 1, after: 0, version: null, resource: null };
    return (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as { detail: string }[])
      .map(({ detail }) => detail)
      .filter((step) => !step.includes('SUBQUERY'));
  };
  const tail = [
    'SEARCH records USING INTEGER PRIMARY KEY (rowid>?)',
    'SCAN fold',
    'SEARCH lanes USING INTEGER PRIMARY KEY (rowid=?)',
    'SEARCH lanes USING INTEGER PRIMARY KEY (rowid=?)',
  ];
  expect(planOf(WAITING_TAIL_SQL)).toEqual([...tail, 'SEARCH deliveries USING INTEGER PRIMARY KEY (rowid=?)']);
  expect(planOf(TAIL_DUPLICATE_SQL).slice(0, 4)).toEqual(tail);
  db.close();
});

test('the order of sale is compared with the records by one search for each', () => {
  const db = migratedDatabase();
  const planOf = (sql: string): string[] =>
    (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(9) as { detail: string }[]).map(({ detail }) => detail);
  expect(planOf(SALE_FAULT_SQL.missing(db)).slice(0, 2)).toEqual([
    'SEARCH records USING INTEGER PRIMARY KEY (rowid<?)',
    'SCALAR SUBQUERY 1',
  ]);
  expect(planOf(SALE_FAULT_SQL.missing(db))).toContain(
    'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=? AND sold_at=? AND record_id=?) LEFT-JOIN',
  );
  expect(planOf(SALE_FAULT_SQL.surplus)).toEqual([
    'SCAN sales',
    'SEARCH records USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN',
  ]);
  db.close();
});

test('the oldest of a million waiting records is found with one search', () => {
  const db = migratedDatabase();
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${LANE_STATUS_SQL}`).all() as { detail: string }[];
  expect(plan.map(({ detail }) => detail)).toContain(
    'SEARCH deliveries USING COVERING INDEX waiting_deliveries (lane_id=?)',
  );
  db.close();
});

describe('an act', () => {
  const held = 'SEARCH deliveries USING COVERING INDEX held_deliveries (lane_id=? AND record_id>? AND record_id<?)';
  const aside =
    'SEARCH deliveries USING COVERING INDEX deliveries_set_aside (lane_id=? AND record_id>? AND record_id<?)';
  const waiting =
    'SEARCH deliveries USING COVERING INDEX waiting_deliveries (lane_id=? AND record_id>? AND record_id<?)';
  const delivered = 'SEARCH deliveries USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)';
  const record = 'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)';
  const range = { laneId: 1, after: 0, last: 9, from: 1, to: 2 };

  test.each<[name: string, sql: string, parameters: unknown, expected: string[]]>([
    ['all records, to be set aside', actPageSql(['held'], 'every'), range, [held]],
    ['all records, to be sent again', actPageSql(['held', 'set aside'], 'every'), range, [held, aside]],
    [
      'one record, even if delivered',
      actPageSql(['held', 'set aside', 'delivered'], 'every'),
      range,
      [held, aside, delivered],
    ],
    ['a day, to be set aside', actPageSql(['held'], 'sold'), range, [held, record]],
    ['a day, to be sent again', actPageSql(['held', 'set aside'], 'sold'), range, [held, aside, record]],
    [
      'a day, delivered records too',
      actPageSql(['held', 'set aside', 'delivered'], 'sold'),
      range,
      [held, aside, delivered, record],
    ],
    [
      'the range of a day',
      SOLD_RANGE_SQL,
      { laneId: 1, from: 1, to: 2 },
      [
        'SEARCH sales USING PRIMARY KEY (journal_id=? AND stream=? AND sold_at>? AND sold_at<?)',
        'SEARCH lanes USING INTEGER PRIMARY KEY (rowid=?)',
      ],
    ],
    [
      'duplicates of set-aside records',
      actPageSql(['waiting'], 'orphans'),
      range,
      [waiting, record, 'SEARCH originals USING INTEGER PRIMARY KEY (rowid=?)'],
    ],
    [
      'records that drew 400 at an end point',
      actPageSql(['held'], 'held at'),
      { ...range, version: 'v1', resource: 'transaction', recordIds: null },
      [
        held,
        'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
        'SEARCH refused USING INTEGER PRIMARY KEY (rowid=?)',
      ],
    ],
    [
      'whether any record is held',
      HOLDS_SQL,
      { laneId: 1 },
      ['SEARCH deliveries USING COVERING INDEX held_deliveries (lane_id=?)'],
    ],
    [
      'whether any record of an end point is held',
      HOLDS_AT_SQL,
      { laneId: 1, version: 'v1', resource: 'transaction', recordIds: null },
      [
        'SEARCH deliveries USING INDEX held_deliveries (lane_id=?)',
        'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
      ],
    ],
    [
      'whether any duplicate exists',
      HAS_DUPLICATES_SQL,
      [1],
      [
        'SEARCH lanes USING INTEGER PRIMARY KEY (rowid=?)',
        'SEARCH counts USING PRIMARY KEY (journal_id=? AND interface=? AND status=? AND width=?)',
      ],
    ],
  ])('reads a range of an index, in order: %s', (_name, sql, parameters, expected) => {
    const db = migratedDatabase();
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as { detail: string }[];
    const steps = plan.map(({ detail }) => detail);
    expect(steps.filter((step) => step.startsWith('SEARCH'))).toEqual(expected);
    // Allowed scans: rows that an earlier step of the query found (`looked`), a constant row, and the ids in the parameters.
    expect(
      steps.filter((step) => /SCAN|TEMP/.test(step) && !/^SCAN (looked|constant row|json_each)/i.test(step)),
    ).toEqual([]);
    db.close();
  });

  test.each([
    [2, 'SEARCH deliveries USING COVERING INDEX held_deliveries (lane_id=? AND record_id=?)'],
    [1, 'SEARCH deliveries USING INTEGER PRIMARY KEY (rowid=?)'],
  ])('moves records in state %d one by one', (from, expected) => {
    const db = migratedDatabase();
    const parameters = { laneId: 1, from, to: 0, reason: null, recordIds: '[1]' };
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${MOVE_SQL}`).all(parameters) as { detail: string }[];
    expect(plan.map(({ detail }) => detail)).toEqual([
      expected,
      'LIST SUBQUERY 1',
      'SCAN json_each VIRTUAL TABLE INDEX 1:',
      'CORRELATED SCALAR SUBQUERY 2',
      'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
      'CORRELATED SCALAR SUBQUERY 3',
      'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
    db.close();
  });
});

test('only its owner may read the data directory', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  await openTemporaryStore({ dataDir });
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dataDir, 'counterfoil.db')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(dataDir, 'counterfoil.db')).subarray(0, 15).toString()).toBe('SQLite format 3');
});
