// Another process may read the database, such as `check` or a backup. It delays neither a start nor a recovery.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';

import { DATABASE, killGatewayAfter } from '../../../../support/killed-gateway.ts';
import { mountSmallDisk } from '../../../../support/small-disk.ts';
import { arrivalOf, makeKey, openTemporaryStore } from '../../../../support/temp-store.ts';

/** Reads the current data in a transaction that stays open until the test ends. */
function keepReading(dataDir: string): { countRecords(): number } {
  const db = new Database(join(dataDir, DATABASE), { readonly: true });
  onTestFinished(() => void db.close());
  db.exec('BEGIN');
  const count = db.prepare<[], number>('SELECT count(*) FROM records').pluck();
  count.get();
  return { countRecords: () => count.get() ?? 0 };
}

test('a start after a crash does not wait for a reader, and accepts sales', async () => {
  const { dataDir } = await killGatewayAfter(20);
  const reader = keepReading(dataDir);
  const store = await openTemporaryStore({ dataDir });
  expect(store.health.trouble()).toBeUndefined();
  const key = await makeKey(store, 'Till 2');
  expect(await store.records.append(arrivalOf(key, { externalId: 'beside a reader' }))).toMatchObject({
    status: 'NEW',
  });
  expect(await store.records.countStatuses()).toMatchObject([{ records: { current: { NEW: 21 } } }]);
  expect(reader.countRecords()).toBe(20);
});

test('recovery after a full disk does not wait for a reader', async ({ skip }) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip('not run: mounting a small disk needs root on Linux');
  const dataDir = join(disk, 'data');
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  await store.records.append(arrivalOf(key, { externalId: 'first' }));
  const reader = keepReading(dataDir);
  const filler = join(disk, 'filler');
  expect(() => writeFileSync(filler, Buffer.alloc(16 * 1024 * 1024))).toThrow(/ENOSPC/);
  const fill = async (): Promise<void> => {
    for (let i = 0; i < 50; i++)
      await store.records.append(arrivalOf(key, { externalId: `f${i}`, object: { text: 'x'.repeat(100_000) } }));
  };
  await expect(fill()).rejects.toMatchObject({ code: 'store_full' });
  rmSync(filler);
  await expect.poll(() => store.health.trouble()).toBeUndefined();
  expect(await store.records.append(arrivalOf(key, { externalId: 'after' }))).toMatchObject({ status: 'NEW' });
  expect(reader.countRecords()).toBe(1);
});
