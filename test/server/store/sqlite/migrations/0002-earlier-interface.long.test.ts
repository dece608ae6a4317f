// Migration 2, on old rows of every kind. Stored data do not change. Dedup, counts and queries continue to work.

import { describe, expect, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { migrate, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { COUNT_SQL } from '../../../../../server/store/sqlite/records/count.ts';
import { FIND_ORIGINAL_SQL } from '../../../../../server/store/sqlite/records/record.ts';
import {
  everythingIn,
  folderAtVersion1,
  RECORDS,
  rowsOf,
  SECRETS,
  SOLD_AT,
  withDatabase,
} from '../../../../support/old-data.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

test('stored data do not change: rows get their interface, administrations get the default set-up', () => {
  withDatabase(folderAtVersion1(), (db) => {
    const before = rowsOf(db);
    migrate(db, 2);
    expect(schemaVersion(db)).toBe(2);
    const resources =
      '[{"name":"transaction","idParameter":"transactionid"},{"name":"cancellations","idParameter":"transactionid"}]';
    expect(rowsOf(db)).toEqual({
      ...before,
      administrations: before['administrations']?.map((row) => ({
        ...row,
        customer_name: null,
        customer_id: null,
        versions: '["v1"]',
        resources,
      })),
      records: before['records']?.map((row) => ({ ...row, interface: 'current', version: null, method: null })),
      counts: before['counts']?.map((row) => ({ ...row, interface: 'current' })),
    });
    expect(before['records']).toHaveLength(RECORDS.length);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
  });
});

test('references to records lead to the new rows', () => {
  withDatabase(folderAtVersion1(), (db) => {
    migrate(db, 2);
    expect(() => db.exec('DELETE FROM records WHERE id = 1')).toThrow(/FOREIGN KEY/);
    expect(() => db.exec('DELETE FROM keys WHERE id = 4')).toThrow(/FOREIGN KEY/);
    expect(() => db.exec("UPDATE records SET status = 'NEW', original_id = NULL WHERE id = 2")).toThrow(/UNIQUE/);
  });
});

test('a gateway opens it: counts are right, records sound, keys work or stay revoked, refusals are listed', async () => {
  const store = await openTemporaryStore({ dataDir: folderAtVersion1() });
  expect(await store.health.check()).toEqual({
    structure: [],
    damagedRecords: [],
    archiveFaults: [],
    countFaults: [],
    saleFaults: [],
    wrongAmounts: [],
    amountFaults: [],
    deliveryFaults: [],
    records: RECORDS.length,
  });
  const none = { NEW: 0, IGNORED: 0, ERROR: 0 };
  expect(await store.records.countStatuses()).toEqual([
    {
      administration: 'Bakery',
      mode: 'production',
      records: { current: { NEW: 4, IGNORED: 1, ERROR: 2 }, earlier: none },
    },
    { administration: 'Bakery', mode: 'test', records: { current: { NEW: 1, IGNORED: 1, ERROR: 0 }, earlier: none } },
    {
      administration: 'Café',
      mode: 'production',
      records: { current: { NEW: 1, IGNORED: 0, ERROR: 0 }, earlier: none },
    },
  ]);
  expect(SECRETS.map((secret) => store.setup.findKey(secret))).toMatchObject([
    { id: 1, journalId: 1, interface: 'both', isAdopted: false, lastUsedAt: 5000, revokedAt: null },
    { id: 2, journalId: 1, interface: 'current', isAdopted: true, revokedAt: 6000 },
    { id: 3, journalId: 2, interface: 'earlier', mode: 'test' },
    { id: 4, administration: 'Café' },
  ]);
  expect(await store.records.listRefusals(10)).toMatchObject([
    { id: 2, label: null, code: 'not_found' },
    { id: 1, label: 'Till 2', code: 'field_invalid' },
  ]);
  const range = { from: SOLD_AT - 86_400, to: SOLD_AT + 2 * 86_400 };
  const asked = await store.records.queryRange({ journalId: 1, range, type: undefined, limit: 10 });
  expect(asked).toMatchObject({ count: 3, rows: [{ externalId: 'a' }, { externalId: 'b' }, { externalId: 'c' }] });
  expect(
    await store.records.queryRange({ journalId: 1, range: { from: -900, to: 0 }, type: 'sale', limit: 0 }),
  ).toMatchObject({
    count: 1,
  });
});

test('dedup continues: old ids are known, on the current interface only, and new records have new numbers', async () => {
  const store = await openTemporaryStore({ dataDir: folderAtVersion1() });
  const key = store.setup.findKey(SECRETS[0] ?? '')!; // the key was created with the old data
  const again = (externalId: string, type: string, soldAt: number, total: number) =>
    store.records.append(arrivalOf(key, { externalId, type, soldAt, object: { total } }));
  expect(await again('a', 'sale', SOLD_AT, 1)).toEqual({ status: 'IGNORED', recordId: 12, originalId: 1 });
  expect(await again('a', 'sale', SOLD_AT, 2)).toEqual({
    status: 'ERROR',
    recordId: 13,
    originalId: 1,
    differences: ['/object/total'],
  });
  expect(await again('d', 'sale', SOLD_AT, 1)).toEqual({ status: 'NEW', recordId: 14 });
  const earlier = {
    ...arrivalOf(key, { externalId: 'a', type: 'transaction', soldAt: SOLD_AT }),
    body: Buffer.from('transactionid=a'),
  };
  const call = { ...earlier, earlier: { version: 'v1', method: 'GET' } } as const;
  expect(await store.records.append(call)).toEqual({ status: 'NEW', recordId: 15 });
  expect(await store.records.append(call)).toEqual({ status: 'IGNORED', recordId: 16, originalId: 15 });
  expect(await store.records.append({ ...call, type: 'cancellations' })).toEqual({ status: 'NEW', recordId: 17 });
  expect(await store.health.check()).toMatchObject({
    damagedRecords: [],
    countFaults: [],
    wrongAmounts: [],
    amountFaults: [],
    records: RECORDS.length + 6,
  });
});

test('the indexes are created and used', () => {
  withDatabase(folderAtVersion1(), (db) => {
    migrate(db, 2);
    db.exec('ANALYZE');
    const planOf = (sql: string): string => {
      const parameters = {
        journalId: 1,
        type: null,
        externalId: 'a',
        from: 0,
        to: 1,
        width: 900,
      };
      return (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as { detail: string }[])
        .map(({ detail }) => detail)
        .join();
    };
    expect(planOf(FIND_ORIGINAL_SQL.current(db))).toContain('USING INDEX originals ');
    expect(planOf(FIND_ORIGINAL_SQL.earlier(db))).toContain('USING INDEX earlier_originals ');
    expect(planOf(COUNT_SQL.buckets)).toMatch(/^SEARCH counts USING PRIMARY KEY \([^,]+\)$/);
  });
});

describe('a failed migration leaves everything unchanged', () => {
  const orphan = `
    PRAGMA foreign_keys = OFF;
    INSERT INTO records (id, journal_id, key_id, status, sold_at, received_at, external_id, type, digest, body)
    VALUES (99, 1, 99, 'NEW', 0, 0, 'orphan', 'sale', zeroblob(32), x'')`;
  test.each([
    [
      'at its first statement',
      'ALTER TABLE administrations ADD COLUMN customer_name TEXT',
      /duplicate column/,
      /"administrations"/,
    ],
    ['before records are copied', 'CREATE TABLE new_records (id)', /new_records already exists/, /"new_records"/],
    ['after records were replaced', 'CREATE TABLE new_counts (id)', /new_counts already exists/, /"new_counts"/],
    ['because a row has no parent', orphan, /without its parent/, /without its parent/],
  ])('%s', async (_name, obstacle, message, refusal) => {
    const dataDir = folderAtVersion1();
    const before = withDatabase(dataDir, (db) => {
      db.exec(obstacle);
      const everything = everythingIn(db);
      expect(() => migrate(db)).toThrow(message);
      expect(everythingIn(db)).toEqual(everything);
      expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
      return everything;
    });
    for (const role of ['gateway', 'command'] as const)
      await expect(openStore({ dataDir, role })).rejects.toThrow(refusal);
    expect(withDatabase(dataDir, everythingIn)).toEqual(before);
  });

  test('a failed migration is done by the next start, once the obstacle is gone', async () => {
    const dataDir = folderAtVersion1();
    withDatabase(dataDir, (db) => db.exec('CREATE TABLE new_counts (id)'));
    withDatabase(dataDir, (db) => expect(() => migrate(db)).toThrow(/new_counts already exists/));
    withDatabase(dataDir, (db) => db.exec('DROP TABLE new_counts'));
    const store = await openTemporaryStore({ dataDir });
    expect(await store.health.check()).toMatchObject({ countFaults: [], records: RECORDS.length });
  });
});

test('a command migrates if no gateway runs', async () => {
  const dataDir = folderAtVersion1();
  const command = await openStore({ dataDir, role: 'command' });
  expect(await command.setup.listAdministrations()).toMatchObject([
    { name: 'Bakery', customer: null },
    { name: 'Café' },
  ]);
  await command.close();
});

test('a new database accepts the same data as a migrated one', async () => {
  const [migrated, fresh] = [folderAtVersion1(), temporaryFolder()];
  withDatabase(fresh, (db) => migrate(db));
  const stores = await Promise.all([migrated, fresh].map((dataDir) => openTemporaryStore({ dataDir })));
  const statuses = await Promise.all(
    stores.map(async (store) => {
      const key = await makeKey(store, 'New till', { administration: 'New' });
      const arrivals = ['x', 'x', 'y'].map((externalId) => arrivalOf(key, { externalId }));
      const results = [];
      for (const arrival of arrivals) results.push((await store.records.append(arrival)).status);
      return results;
    }),
  );
  expect(statuses).toEqual([
    ['NEW', 'IGNORED', 'NEW'],
    ['NEW', 'IGNORED', 'NEW'],
  ]);
});
