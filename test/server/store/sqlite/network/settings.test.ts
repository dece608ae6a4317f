// The settings of the network when their row is damaged.

import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

test.each(['["la', '5', '{"a":1}', '["lan",null]'])('damaged interfaces are none: %s', async (damaged) => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await store.network.change({ isOpen: true, interfaces: ['lan'] }, 'Ann');
  await store.close();
  const database = new Database(join(dataDir, 'counterfoil.db'));
  database.prepare('UPDATE network SET interfaces = ?').run(damaged);
  database.close();
  const again = await openTemporaryStore({ dataDir });
  expect(await again.network.settings()).toMatchObject({ isOpen: true, interfaces: [] });
  expect(await again.network.change({ interfaces: ['lan'] }, 'Ann')).toMatchObject({ interfaces: ['lan'] });
});
