// A sale is acknowledged only after the sync of the log that contains it. The order of the operations in the recorder's list
// shows this.

import { basename } from 'node:path';

import { expect, test } from 'vitest';

import { readRecord } from '../support/disk/power-cut.ts';
import { HAS_RECORDER, openRecordedShop } from '../support/disk/recorded-shop.ts';
import { countOf, repeatOf, report } from './tier.ts';

const SALES = countOf({ commit: 1000, nightly: 10_000 });
const SOLD = /"external_id":"(T-\d+)"/g;

test('each sale is synced before it is acknowledged', async (context) => {
  if (!HAS_RECORDER) return context.skip('needs Linux and a C compiler');
  const shop = openRecordedShop();
  await shop.run({ from: 0, to: SALES, checkpointEvery: 100, onRefusal: 'repeat' });
  const written = new Set<string>();
  const synced = new Set<string>();
  const early: string[] = [];
  let acknowledged = 0;
  for (const { operation, path, bytes } of readRecord(shop.record)) {
    if (path === shop.acknowledged && operation === 'write') {
      const ids = bytes
        .toString()
        .split('\n')
        .filter((line) => line.startsWith('T-'));
      acknowledged += ids.length;
      early.push(...ids.filter((id) => !synced.has(id)));
    }
    if (basename(path) !== 'counterfoil.db-wal') continue;
    if (operation === 'write') for (const [, id = ''] of bytes.toString('latin1').matchAll(SOLD)) written.add(id);
    if (operation !== 'sync') continue;
    for (const id of written) synced.add(id);
    written.clear();
  }
  expect(early, repeatOf('R3', SALES)).toEqual([]);
  expect(acknowledged).toBe(SALES);
  report(context, `${acknowledged} of ${SALES} sales synced before their answer`);
});
