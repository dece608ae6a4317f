// A start reads a copy of the data completely, such as a restored backup, before it accepts sales on it. It skips this reading
// for the file of the gateway's last run.

import { copyFileSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { OperatorError } from '../../../../../server/errors.ts';
import { openStore } from '../../../../../server/store/open-store.ts';
import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import { backUp } from '../../../../../server/store/sqlite/files/backup.ts';
import type { Store } from '../../../../../server/store/store.ts';
import { flipRecord } from '../../../../support/damage.ts';
import { overwrite } from '../../../../support/killed-gateway.ts';
import { arrivalOf, makeKey, temporaryFolder } from '../../../../support/temp-store.ts';

const PAGE_BYTES = 4096;

/** Makes a data directory that a gateway has closed, and a backup of it. */
async function openShop(sales = 12) {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store);
  // Some bodies are so large that they need their own database pages.
  for (let i = 0; i < sales; i++)
    await store.records.append(
      arrivalOf(key, { externalId: `T-${i}`, object: { text: 'x'.repeat(i % 3 === 0 ? 9000 : 50) } }),
    );
  await store.close();
  const backup = join(temporaryFolder(), 'monday.db');
  await backUp(dataDir, backup);
  return { dataDir, backup };
}

/** Opens a store as a gateway does, and closes it. Resolves to the number of full reads of the data and the damaged records. */
async function start(dataDir: string): Promise<{ examinations: number; damaged: readonly number[] }> {
  let examinations = 0;
  const store: Store = await openStore({ dataDir, role: 'gateway', onExamination: () => void (examinations += 1) });
  try {
    return { examinations, damaged: (await store.health.readMachine()).damaged?.recordIds ?? [] };
  } finally {
    await store.close();
  }
}

function restore(backup: string, spoil: (file: string) => void = () => {}): string {
  const dataDir = temporaryFolder();
  copyFileSync(backup, databasePath(dataDir));
  spoil(databasePath(dataDir));
  return dataDir;
}

test('a damaged page of a restored backup is found before it accepts sales, wherever it is', async () => {
  const { backup } = await openShop();
  const pages = readFileSync(backup).byteLength / PAGE_BYTES;
  expect(pages).toBeGreaterThan(60);
  // The test of one database page takes a second, so only every third page is tested.
  for (let page = 0; page < pages; page += 6) {
    const dataDir = restore(backup, (file) => overwrite(file, page * PAGE_BYTES, PAGE_BYTES, 0));
    const before = readFileSync(databasePath(dataDir));
    const found = await start(dataDir).catch((error: unknown) => error);
    const where = `page ${page + 1} of ${pages}`;
    if (!(found instanceof OperatorError)) {
      expect(found, where).toMatchObject({ damaged: [expect.any(Number)] });
      continue;
    }
    expect(found.message, where).toMatch(/damaged|not a database/);
    expect(readFileSync(databasePath(dataDir)).equals(before), where).toBe(true);
  }
});

test('a changed record of a restored backup is reported before it accepts sales, and does not stop the start', async () => {
  const { dataDir, backup } = await openShop();
  const restored = restore(backup);
  rmSync(backup);
  flipRecord(dataDir, 5);
  await backUp(dataDir, backup);
  copyFileSync(backup, databasePath(restored));
  expect(await start(restored)).toEqual({ examinations: 1, damaged: [5] });
  expect(await start(restored)).toEqual({ examinations: 0, damaged: [5] });
});

test('counts of a copy that do not match its records stop the start', async () => {
  const { backup } = await openShop();
  const dataDir = restore(backup);
  const store = await openStore({ dataDir, role: 'gateway' });
  await store.close();
  const db = new Database(databasePath(dataDir));
  db.exec('UPDATE counts SET records = records + 1');
  db.close();
  const copy = restore(databasePath(dataDir));
  await expect(start(copy)).rejects.toThrow(/is damaged: a count of records does not match the records\. It was left/);
});

test('an index of a copy that misses a record is rebuilt before it accepts sales', async () => {
  const { backup } = await openShop();
  const dataDir = restore(backup, (file) => {
    const db = new Database(file, { readonly: true });
    const page = db.prepare("SELECT pageno FROM dbstat WHERE name = 'originals'").pluck().get() as number;
    db.close();
    const at = readFileSync(file).indexOf('T-7', (page - 1) * PAGE_BYTES);
    overwrite(file, at + 2, 1, '8'.charCodeAt(0));
  });
  const store = await openStore({ dataDir, role: 'gateway' });
  expect(await store.health.check()).toMatchObject({ structure: [], damagedRecords: [], records: 12 });
  const [key] = await store.setup.listKeys();
  expect(
    await store.records.append(arrivalOf(key!, { externalId: 'T-7', object: { text: 'x'.repeat(50) } })),
  ).toMatchObject({
    status: 'IGNORED',
  });
  await store.close();
});

test("data of the gateway's last run are not read again", async () => {
  const { dataDir } = await openShop();
  expect(await start(dataDir)).toMatchObject({ examinations: 0 });
});

test('data of an earlier version are not read, and damage in them does not stop the shop', async () => {
  const { dataDir } = await openShop();
  const db = new Database(databasePath(dataDir));
  db.exec("DELETE FROM secrets WHERE name = 'file'; UPDATE counts SET records = records + 1");
  db.close();
  expect(await start(dataDir)).toMatchObject({ examinations: 0 });
});

test('data created by a command are known', async () => {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'command' });
  await makeKey(store);
  await store.close();
  expect(await start(dataDir)).toMatchObject({ examinations: 0 });
});

test.each<[name: string, put: (dataDir: string, backup: string) => void]>([
  [
    'a backup in place of the file',
    (dir, backup) => (rmSync(databasePath(dir)), copyFileSync(backup, databasePath(dir))),
  ],
  ['a backup copied over the file', (dir, backup) => copyFileSync(backup, databasePath(dir))],
  ['a backup moved to its place', (dir, backup) => renameSync(backup, databasePath(dir))],
  [
    'a copy of the file itself',
    (dir) => {
      const bytes = readFileSync(databasePath(dir));
      rmSync(databasePath(dir));
      writeFileSync(databasePath(dir), bytes);
    },
  ],
])('%s is read once, also after a command has opened it', async (_name, put) => {
  const { dataDir, backup } = await openShop();
  put(dataDir, backup);
  await (await openStore({ dataDir, role: 'command' })).close();
  expect(await start(dataDir)).toMatchObject({ examinations: 1 });
  expect(await start(dataDir)).toMatchObject({ examinations: 0 });
});

test('a link to itself, with the name of an old partial backup, does not stop a backup', async () => {
  const { dataDir } = await openShop(1);
  const folder = temporaryFolder();
  const stuck = join(folder, 'copy.db.0123abcd.partial');
  symlinkSync(stuck, stuck);
  expect(await backUp(dataDir, join(folder, 'copy.db'))).toMatchObject({ records: 1 });
});
