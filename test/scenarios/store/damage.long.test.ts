// The store detects content that was changed on the disk, which SQLite itself does not notice.

import { join } from 'node:path';

import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';

import { openStore } from '../../../server/store/open-store.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

/** Makes a closed store with two records and runs `damage` on it as SQL. */
async function damagedFolder(damage: string): Promise<string> {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store);
  await store.records.append(arrivalOf(key, { externalId: 'a', object: { total: 1 } }));
  await store.records.append(arrivalOf(key, { externalId: 'b', object: { total: 1 } }));
  await store.close();
  const db = new Database(join(dataDir, 'counterfoil.db'));
  db.exec(damage);
  db.close();
  return dataDir;
}

const CHANGED_BODY = `UPDATE records SET body = CAST(replace(CAST(body AS TEXT), '1', '2') AS BLOB) WHERE external_id = 'a'`;

describe('check', () => {
  test('names the record whose bytes have changed, and no other', async () => {
    const store = await openTemporaryStore({ dataDir: await damagedFolder(CHANGED_BODY) });
    expect(await store.health.check()).toMatchObject({
      damagedRecords: [1],
      countFaults: [],
      structure: [],
      records: 2,
    });
  });

  test.each([
    ['too many', 'UPDATE counts SET records = records + 1 WHERE width = 900', { width: 900, stored: 3, actual: 2 }],
    ['missing', 'DELETE FROM counts WHERE width = 86400', { width: 86_400, stored: 0, actual: 2 }],
  ])('names a wrong count: %s', async (_name, damage, fault) => {
    const store = await openTemporaryStore({ dataDir: await damagedFolder(damage) });
    expect(await store.health.check()).toMatchObject({
      damagedRecords: [],
      countFaults: [{ status: 'NEW', ...fault }],
    });
  });
});

test.each([
  ['is missing', 'DELETE FROM sales WHERE record_id = 2', [2]],
  ['is at another time', 'UPDATE sales SET sold_at = sold_at + 1 WHERE record_id = 2', [2, 2]],
  ['has another type', "UPDATE sales SET type = 'other' WHERE record_id = 2", [2]],
  ['belongs to no record', "INSERT INTO sales VALUES (1, 0, 0, 9, 'sale', NULL)", [9]],
])('check names a record whose place in the order of sale %s', async (_name, damage, saleFaults) => {
  const store = await openTemporaryStore({ dataDir: await damagedFolder(damage) });
  expect(await store.health.check()).toMatchObject({ saleFaults, countFaults: [], structure: [] });
});

test.each([
  ['of a lane', 'UPDATE lanes SET waiting = 7', { state: 'waiting', startsAt: null, stored: 7, actual: 2 }],
  [
    'of a quarter hour',
    "UPDATE delivery_counts SET state = 'held'",
    { state: 'held', status: 'NEW', stored: 2, actual: 0 },
  ],
])('check names a wrong count of deliveries, %s', async (_name, damage, fault) => {
  const store = await openTemporaryStore({ dataDir: await damagedFolder(damage) });
  const { deliveryFaults } = await store.health.check();
  expect(deliveryFaults).toContainEqual(expect.objectContaining(fault));
});

test('a resend of a damaged original fails alone, with its own error code; others are accepted', async () => {
  const store = await openTemporaryStore({ dataDir: await damagedFolder(CHANGED_BODY) });
  const key = await makeKey(store);
  const results = await Promise.allSettled([
    store.records.append(arrivalOf(key, { externalId: 'c' })),
    store.records.append(arrivalOf(key, { externalId: 'a', object: { total: 3 } })),
    store.records.append(arrivalOf(key, { externalId: 'd' })),
  ]);
  expect(results).toMatchObject([
    { status: 'fulfilled', value: { status: 'NEW' } },
    { status: 'rejected', reason: { code: 'store_damaged' } },
    { status: 'fulfilled', value: { status: 'NEW' } },
  ]);
  expect(store.health.trouble()).toBeUndefined();
});
