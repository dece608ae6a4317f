// How single records are saved from a damaged log. wal-repair.long.test.ts has damaged logs of this version.

import { expect, test } from 'vitest';

import { databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { importRecords } from '../../../../../server/store/sqlite/integrity/wal-salvage.ts';
import { migrate } from '../../../../../server/store/sqlite/migrations.ts';
import { digestOf } from '../../../../../server/store/sqlite/records/record.ts';
import { turnBackToSchema16 } from '../../../../support/old-data.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

test('records saved into data of an earlier version are counted and forwarded after its migration', async () => {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  await store.records.append(arrivalOf(key, { externalId: 'before' }));
  await store.close();

  const db = openDatabase(databasePath(dataDir), 'write');
  turnBackToSchema16(db);
  const rows = [2, 3].map((id) => {
    const arrival = { ...arrivalOf(key, { externalId: `saved ${id}` }), earlier: undefined };
    return { id, keyId: key.id, digest: digestOf(arrival.body), arrival };
  });
  expect(importRecords(db, { rows, newestId: 3 })).toBe(0);
  migrate(db);
  db.close();

  const again = await openTemporaryStore({ dataDir });
  expect(await again.records.countStatuses()).toMatchObject([{ records: { current: { NEW: 3 } } }]);
  expect((await again.outbox.listLaneStatus()).map(({ waiting }) => waiting)).toContain(3);
  expect(await again.health.check()).toMatchObject({ countFaults: [], saleFaults: [], deliveryFaults: [] });
});
