// A repair of the order of sale.

import { expect, test } from 'vitest';

import { databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { rebuildSales } from '../../../../../server/store/sqlite/integrity/rebuild-sales.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

test('an order of sale that is derived again keeps the amounts', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  const rule = { type: 'sale', total: '/object/total', currency: 'EUR', payment: null, sign: 'as sent' } as const;
  await store.amounts.setRule('Bakery', 'sale', rule, 'test');
  for (const [n, total] of [12.5, -3, 'none'].entries())
    await store.records.append(arrivalOf(key, { externalId: `T-${n}`, object: { total } }));
  await store.close();

  const db = openDatabase(databasePath(dataDir), 'write');
  const read = () => db.prepare('SELECT * FROM sales ORDER BY record_id').all();
  const before = read();
  expect(before).toMatchObject([{ amount: '12.5 EUR' }, { amount: '-3 EUR' }, { amount: null }]);
  db.exec('DELETE FROM sales WHERE record_id = 1');
  db.transaction(() => rebuildSales(db))();
  expect(read()).toEqual(before);
  db.close();
});
