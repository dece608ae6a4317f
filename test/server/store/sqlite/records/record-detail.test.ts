// The full detail of one record.

import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import type { Arrival } from '../../../../../server/store/records/ledger.ts';
import type { Store } from '../../../../../server/store/store.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

const SOLD_AT = 1_760_000_000;

async function openWithKey(dataDir = temporaryFolder()) {
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  const callOf = (object: string, more: Partial<Arrival> = {}): Arrival => ({
    ...arrivalOf(key, { externalId: 'a', soldAt: SOLD_AT }),
    body: Buffer.from(`{"type":"sale","external_id":"a","timestamp":"2025-10-09T08:53:20Z","object":${object}}`),
    ...more,
  });
  return { store, key, callOf };
}

async function appendAll(store: Store, calls: readonly Arrival[]): Promise<void> {
  for (const call of calls) await store.records.append(call);
}

test('damaged bytes are shown and marked as damaged, and nothing is compared with them', async () => {
  const dataDir = temporaryFolder();
  const { store, callOf } = await openWithKey(dataDir);
  await appendAll(store, [callOf('{}'), callOf('{"a":1}')]);
  const db = new Database(join(dataDir, 'counterfoil.db'));
  db.prepare('UPDATE records SET body = ? WHERE id = 1').run(Buffer.from([0x7b, 0xff, 0x7d]));
  db.close();
  expect(await store.records.get(1)).toMatchObject({ body: '{\ufffd}', isIntact: false });
  expect(await store.records.get(2)).toMatchObject({
    isIntact: false,
    original: { body: '{\ufffd}' },
    differences: [],
  });
  expect(await store.records.getBody(1)).toEqual(new Uint8Array([0x7b, 0xff, 0x7d]));
});
