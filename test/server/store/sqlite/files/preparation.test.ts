// The preparation of a data directory for its gateway.

import { expect, test } from 'vitest';

import { databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { startOn } from '../../../../support/disk/recorded-shop.ts';
import { interruptCreation, killGatewayAfter } from '../../../../support/killed-gateway.ts';

test('a database whose creation a power cut has interrupted is in WAL mode after the first start', async () => {
  const { dataDir } = await killGatewayAfter(1);
  interruptCreation(dataDir);
  await startOn(dataDir, Date.now());
  // `openDatabase` throws if the database is not in WAL mode
  expect(() => openDatabase(databasePath(dataDir), 'read').close()).not.toThrow();
});
