// The check finds every kind of wrong amount.

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import type { Store } from '../../../../../server/store/store.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

const RULE = { type: 'sale', total: '/object/total', currency: 'EUR', payment: null, sign: 'as sent' } as const;

/** Makes a store with two sales of 12.50 and one without an amount, then runs the SQL `damage` on its database. */
async function storeAfter(damage: string): Promise<Store> {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  await store.amounts.setRule('Bakery', 'sale', RULE, 'test');
  while (await store.amounts.fillSlice());
  for (const [n, total] of [12.5, '12.50', null].entries())
    await store.records.append(arrivalOf(key, { externalId: `T-${n}`, object: { total } }));
  await store.records.countStatuses(); // folds
  const db = new Database(databasePath(dataDir));
  db.exec(damage);
  db.close();
  return store;
}

test('a sum that is a cent too high is found in its bucket', async () => {
  const store = await storeAfter('UPDATE amount_sums SET nano = nano + 10000000 WHERE width = 900');
  const { wrongAmounts, amountFaults } = await store.health.check();
  expect(wrongAmounts).toEqual([]);
  expect(amountFaults).toEqual([
    expect.objectContaining({ type: 'sale', width: 900, currency: 'EUR', excess: '0.01', excessRecords: 0 }),
  ]);
});

test.each([
  ['a missing bucket', 'DELETE FROM amount_sums WHERE width = 86400', { excess: '-25.00', excessRecords: -2 }],
  ['a wrong number of records', 'UPDATE amount_sums SET records = 3 WHERE width = 86400', { excessRecords: 1 }],
  [
    'a wrong number without an amount',
    'UPDATE amount_sums SET without_amount = 0 WHERE width = 86400',
    { excessWithoutAmount: -1 },
  ],
])('%s is found', async (_what, damage, fault) => {
  const store = await storeAfter(damage);
  expect((await store.health.check()).amountFaults).toEqual([expect.objectContaining({ width: 86_400, ...fault })]);
});

test('digits that are distributed otherwise are the same sum', async () => {
  const store = await storeAfter('UPDATE amount_sums SET unit = unit - 1, nano = nano + 1000000000');
  expect((await store.health.check()).amountFaults).toEqual([]);
});

test.each([
  ['amount', "UPDATE sales SET amount = '13.5 EUR' WHERE record_id = 2", 2],
  ['currency', "UPDATE sales SET amount = '12.5 USD' WHERE record_id = 2", 2],
  ['amount that is no decimal', "UPDATE sales SET amount = 'x2.5 EUR' WHERE record_id = 2", 2],
  ['amount that is missing', 'UPDATE sales SET amount = NULL WHERE record_id = 2', 2],
  ['extra amount', "UPDATE sales SET amount = '1 EUR' WHERE record_id = 3", 3],
])('a record with a wrong %s is found', async (_what, damage, recordId) => {
  const store = await storeAfter(damage);
  expect((await store.health.check()).wrongAmounts).toEqual([recordId]);
});

test('an amount that no search would find is found', async () => {
  const store = await storeAfter('DELETE FROM amount_days');
  expect((await store.health.check()).wrongAmounts).toEqual([1, 2]);
});
