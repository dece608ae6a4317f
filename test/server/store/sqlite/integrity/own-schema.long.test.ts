// A database file may come from an untrusted source. The gateway refuses a file with triggers or other foreign parts, and names
// them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import { backUp } from '../../../../../server/store/sqlite/files/backup.ts';
import { listSchemaFaults, type SchemaObject } from '../../../../../server/store/sqlite/integrity/own-schema.ts';
import { migrate, SCHEMA_VERSION } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, withDatabase } from '../../../../support/old-data.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

const UNREVOKE = 'CREATE TRIGGER comes_back AFTER INSERT ON records BEGIN UPDATE keys SET revoked_at = NULL; END';

/** Changes that another program makes to the database, and the message about each change. */
const CHANGES: [name: string, change: string, said: string][] = [
  ['a trigger', UNREVOKE, 'trigger "comes_back"'],
  ['a view', 'CREATE VIEW looks AS SELECT * FROM keys', 'view "looks"'],
  ['an index', 'CREATE INDEX fast ON records (body)', 'index "fast"'],
  ['an index on an expression', 'CREATE INDEX slow ON records (hex(body))', 'index "slow"'],
  [
    'an index whose text has one more space',
    `DROP INDEX deliveries_set_aside;
    CREATE INDEX deliveries_set_aside ON deliveries (lane_id, record_id) WHERE state = 'set  aside'`,
    'index "deliveries_set_aside"',
  ],
  [
    'an index whose text has quotes',
    `DROP INDEX deliveries_set_aside;
    CREATE INDEX deliveries_set_aside ON deliveries (lane_id, record_id) WHERE state = '"set" aside'`,
    'index "deliveries_set_aside"',
  ],
  ['a table', 'CREATE TABLE more (x)', 'table "more"'],
  ['a table of statistics', 'ANALYZE', 'table "sqlite_stat1"'],
  ['a name with a line end', 'CREATE VIEW "a\nb\u001b[2J" AS SELECT 1', String.raw`view "a\nb\u001b[2J"`],
];
const LACKS: [name: string, change: string, said: string][] = [
  ['an index', 'DROP INDEX originals', 'index "originals"'],
  ['a table', 'PRAGMA foreign_keys = OFF; DROP TABLE sleeps', 'table "sleeps"'],
];

async function folderWith(change: string): Promise<string> {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  await store.records.append(arrivalOf(await makeKey(store), { externalId: 'a' }));
  await store.close();
  changeFile(dataDir, change);
  return dataDir;
}

function changeFile(dataDir: string, change: string): void {
  const db = new Database(databasePath(dataDir));
  db.exec(change);
  db.close();
}

describe.each(['gateway', 'command'] as const)('a %s', (role) => {
  test.each(CHANGES)(
    'refuses a database with %s by its name, and leaves the file unchanged',
    async (_name, change, said) => {
      const dataDir = await folderWith(change);
      const before = readFileSync(databasePath(dataDir));
      const opening = openStore({ dataDir, role });
      await expect(opening).rejects.toMatchObject({ fault: 'data_foreign', message: expect.stringContaining(said) });
      await expect(opening).rejects.toThrow(/^[^\n]*It was left as it is[^\n]*$/);
      expect(readFileSync(databasePath(dataDir)).equals(before)).toBe(true);
    },
  );

  test.each(LACKS)('refuses a database without %s by its name', async (_name, change, said) => {
    const dataDir = await folderWith(change);
    await expect(openStore({ dataDir, role })).rejects.toMatchObject({
      fault: 'data_damaged',
      message: expect.stringContaining(said),
    });
  });
});

test('old data with a trigger are refused before a migration could fire it', async () => {
  const dataDir = folderAtVersion2();
  changeFile(dataDir, UNREVOKE);
  await expect(openStore({ dataDir, role: 'gateway' })).rejects.toThrow('trigger "comes_back"');
  const db = new Database(databasePath(dataDir), { readonly: true });
  onTestFinished(() => void db.close());
  expect(db.pragma('user_version', { simple: true })).toBe(2);
});

test('a table with changed columns is refused by its name', async () => {
  const dataDir = await folderWith('ALTER TABLE users ADD COLUMN more TEXT');
  await expect(openStore({ dataDir, role: 'gateway' })).rejects.toThrow('table "users"');
});

test('compatible data of a newer version may have more tables, but no triggers', async () => {
  const dataDir = await folderWith(`CREATE TABLE newer (x ANY) STRICT; PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  await (await openStore({ dataDir, role: 'gateway' })).close();
  changeFile(dataDir, UNREVOKE);
  await expect(openStore({ dataDir, role: 'gateway' })).rejects.toThrow('trigger "comes_back"');
});

describe('compatible data of a newer version', () => {
  const NEWER = `PRAGMA user_version = ${SCHEMA_VERSION + 1}`;

  test('may have additional columns in our tables, and indexes on these columns', async () => {
    const dataDir = await folderWith(
      `ALTER TABLE users ADD COLUMN more TEXT; ALTER TABLE users ADD COLUMN many INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE newer (x ANY) STRICT; CREATE INDEX newer_by_x ON newer (x); ${NEWER}`,
    );
    await expect(openTemporaryStore({ dataDir })).resolves.toBeDefined();
  });

  test.each([
    ['an additional index on our table', 'CREATE UNIQUE INDEX one ON records (interface)', 'index "one"'],
    [
      'a computed column in our table',
      'ALTER TABLE records ADD COLUMN sum INTEGER GENERATED ALWAYS AS (1) VIRTUAL',
      'table "records"',
    ],
    [
      'a table with a reference to ours',
      'CREATE TABLE newer (id INTEGER REFERENCES records ON DELETE CASCADE) STRICT',
      'table "newer"',
    ],
    [
      'our table, rebuilt with another rule',
      `CREATE TABLE u (name TEXT PRIMARY KEY ON CONFLICT REPLACE); DROP TABLE users; ALTER TABLE u RENAME TO users`,
      'table "users"',
    ],
  ])('may not have %s', async (_name, change, said) => {
    const dataDir = await folderWith(`PRAGMA foreign_keys = OFF; ${change}; ${NEWER}`);
    await expect(openStore({ dataDir, role: 'gateway' })).rejects.toThrow(said);
  });
});

test('no backup is made of data that no gateway would open', async () => {
  const dataDir = await folderWith(UNREVOKE);
  const file = join(temporaryFolder(), 'copy.db');
  await expect(backUp(dataDir, file)).rejects.toThrow('trigger "comes_back"');
});

test.each(Array.from({ length: SCHEMA_VERSION + 1 }, (_, version) => version))(
  'data with schema %i are accepted',
  async (version) => {
    const dataDir = temporaryFolder();
    withDatabase(dataDir, (db) => migrate(db, version));
    await expect(openTemporaryStore({ dataDir })).resolves.toBeDefined();
  },
);

describe('the comparison', () => {
  const table: SchemaObject = { type: 'table', name: 't', table: 't', sql: 'CREATE TABLE "t" (a,\n  b)' };
  const index: SchemaObject = { type: 'index', name: 'sqlite_autoindex_t_1', table: 't', sql: null };

  test('finds additional, missing and different parts', () => {
    const other: SchemaObject = { type: 'trigger', name: 'u', table: 't', sql: 'CREATE TRIGGER u' };
    expect(listSchemaFaults([table, index, other], [table, index])).toEqual({ foreign: ['trigger "u"'], missing: [] });
    expect(listSchemaFaults([table], [table, index])).toEqual({
      foreign: [],
      missing: ['index "sqlite_autoindex_t_1"'],
    });
    const changed = { ...table, sql: 'CREATE TABLE t (a)' };
    expect(listSchemaFaults([changed], [table])).toEqual({ foreign: ['table "t"'], missing: [] });
  });

  test('ignores the kind of quotes around a name, and white space', () => {
    expect(listSchemaFaults([{ ...table, sql: 'CREATE TABLE t (a, b)' }], [table])).toEqual({
      foreign: [],
      missing: [],
    });
  });
});
