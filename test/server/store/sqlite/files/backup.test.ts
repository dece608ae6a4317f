// A backup is complete, is checked, and only its owner can read it. A failed backup leaves no file behind.

import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { BackupProgress } from '../../../../../server/contract/backups.ts';
import { OperatorError } from '../../../../../server/errors.ts';
import { openStore } from '../../../../../server/store/open-store.ts';
import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import { backUp } from '../../../../../server/store/sqlite/files/backup.ts';
import { OLDEST_PROGRAM, SCHEMA_VERSION, schemaVersion } from '../../../../../server/store/sqlite/migrations.ts';
import { folderAtVersion2, withDatabase } from '../../../../support/old-data.ts';
import { mountSmallDisk } from '../../../../support/small-disk.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

async function openShop() {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  const key = await makeKey(store);
  const sell = (externalId: string, object = {}) => store.records.append(arrivalOf(key, { externalId, object }));
  return { dataDir, store, sell };
}

test('it holds all calls that were answered before it began, and is a complete data directory', async () => {
  const { dataDir, sell, store } = await openShop();
  for (let i = 0; i < 50; i++) await sell(`before ${i}`);
  const copy = temporaryFolder();
  const backup = await backUp(dataDir, databasePath(copy));
  expect(backup).toMatchObject({ records: 50, programSchema: SCHEMA_VERSION, oldestProgram: OLDEST_PROGRAM });
  expect(backup.bytes).toBe(statSync(databasePath(copy)).size);
  expect(statSync(databasePath(copy)).mode & 0o777).toBe(0o600);
  await sell('after');
  const other = await openStore({ dataDir: copy, role: 'gateway' });
  expect(await other.health.check()).toMatchObject({ records: 50, damagedRecords: [], structure: [], countFaults: [] });
  expect(other.records.cursorSecret).toEqual(store.records.cursorSecret);
  await other.close();
});

test('during sales, it shows a single moment', async () => {
  const { dataDir, sell } = await openShop();
  const selling = Promise.all(Array.from({ length: 500 }, (_, i) => sell(`sale ${i}`, { text: 'x'.repeat(1000) })));
  await sell('the last that is surely in it');
  const copy = temporaryFolder();
  const { records } = await backUp(dataDir, databasePath(copy));
  await selling;
  const other = await openStore({ dataDir: copy, role: 'gateway' });
  expect(await other.health.check()).toMatchObject({ records, damagedRecords: [], structure: [], countFaults: [] });
  const ids = (await other.records.list({ limit: 1000 })).map(({ externalId }) => externalId);
  expect(ids).toContain('the last that is surely in it');
  await other.close();
});

test('data of another version that no gateway has open are copied unchanged', async () => {
  const dataDir = folderAtVersion2();
  const file = join(temporaryFolder(), 'copy.db');
  expect(await backUp(dataDir, file)).toMatchObject({ oldestProgram: 2 });
  withDatabase(dataDir, (db) => expect(schemaVersion(db)).toBe(2));
});

test('of two backups to one name at once, the second fails and the first stays', async () => {
  const { dataDir } = await openShop();
  const folder = temporaryFolder();
  const file = join(folder, 'copy.db');
  const done = await Promise.allSettled([backUp(dataDir, file), backUp(dataDir, file)]);
  expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(done).toContainEqual({
    status: 'rejected',
    reason: expect.objectContaining({ message: expect.stringContaining('already exists') }),
  });
  expect(readdirSync(folder)).toEqual(['copy.db']);
});

test('an existing file stays unchanged', async () => {
  const { dataDir } = await openShop();
  const file = join(temporaryFolder(), 'mine');
  writeFileSync(file, 'mine');
  await expect(backUp(dataDir, file)).rejects.toThrow(/already exists/);
  expect(statSync(file).size).toBe(4);
});

test.each([
  ['a missing folder', (folder: string) => join(folder, 'nowhere', 'copy.db')],
  ['a folder by that name', (folder: string) => (mkdirSync(join(folder, 'copy.db')), join(folder, 'copy.db'))],
])('%s is an error with that cause, and nothing is left behind', async (_what, fileIn) => {
  const { dataDir } = await openShop();
  const folder = temporaryFolder();
  const file = fileIn(folder);
  await expect(backUp(dataDir, file)).rejects.toThrow(OperatorError);
  expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
});

test('a copy that was never opened can be copied', async () => {
  const { dataDir, sell } = await openShop();
  await sell('a');
  const copy = temporaryFolder();
  await backUp(dataDir, databasePath(copy));
  expect(await backUp(copy, join(temporaryFolder(), 'again.db'))).toMatchObject({ records: 1 });
});

test('files left by an interrupted backup are removed by the next one, and files of a running backup are not', async () => {
  const { dataDir } = await openShop();
  const folder = temporaryFolder();
  const [old, young, foreign] = ['copy.db.0123abcd.partial', 'copy.db.4567cdef.partial', 'mine.partial'];
  for (const name of [old, `${old}-journal`, young, foreign]) writeFileSync(join(folder, name), 'x');
  for (const name of [old, foreign]) utimesSync(join(folder, name), 0, 0);
  await backUp(dataDir, join(folder, 'copy.db'));
  expect(readdirSync(folder).toSorted()).toEqual(['copy.db', young, foreign].toSorted());
});

test('only files left by a backup are removed, and a file that cannot be removed does not stop a backup', async () => {
  const { dataDir } = await openShop();
  const folder = temporaryFolder();
  const mine = ['copy.db.mine.partial', 'copy.db.old.0123abcd.partial', 'copy.db.0123ABCD.partial'];
  for (const name of mine) writeFileSync(join(folder, name), 'mine');
  const [stuck, gone] = ['copy.db.0123abcd.partial', 'copy.db.4567cdef.partial'];
  mkdirSync(join(folder, stuck));
  symlinkSync(join(folder, 'nowhere'), join(folder, gone));
  for (const name of [...mine, stuck]) utimesSync(join(folder, name), 0, 0);
  expect(await backUp(dataDir, join(folder, 'copy.db'))).toMatchObject({ records: 0 });
  expect(readdirSync(folder).toSorted()).toEqual(['copy.db', ...mine, stuck, gone].toSorted());
});

test.each(['-wal', '-shm', '-journal'])('a name that the database itself uses is refused: …%s', async (end) => {
  const dataDir = folderAtVersion2(); // this version has not opened these data yet
  rmSync(databasePath(dataDir) + end, { force: true });
  const link = join(temporaryFolder(), 'link');
  symlinkSync(dataDir, link);
  await expect(backUp(dataDir, databasePath(link) + end)).rejects.toThrow('is a name that the database uses itself');
  expect(await backUp(dataDir, databasePath(link) + '.monday')).toMatchObject({ oldestProgram: 2 });
});

test('without data there is nothing to copy', async () => {
  const dataDir = temporaryFolder();
  await expect(backUp(dataDir, join(dataDir, 'copy.db'))).rejects.toThrow(/The directory .* has no data/);
  expect(existsSync(join(dataDir, 'copy.db'))).toBe(false);
});

test('unreadable data are not reported as missing', async () => {
  const dataDir = temporaryFolder();
  symlinkSync('counterfoil.db', databasePath(dataDir)); // a link to itself
  const failure = await backUp(dataDir, join(temporaryFolder(), 'copy.db')).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(OperatorError);
  expect(String(failure)).toMatch(/cannot be opened: .* \(ELOOP\)/);
});

test('without enough space, it says how much it needs', async ({ skip }) => {
  const disk = mountSmallDisk();
  if (disk === undefined) return skip('a small disk is only to be had as root');
  const { dataDir, sell } = await openShop();
  for (let i = 0; i < 20; i++) await sell(`sale ${i}`, { text: 'x'.repeat(900_000) });
  await expect(backUp(dataDir, join(disk, 'copy.db'))).rejects.toThrow(
    /has too little space for a backup, which needs up to \d{8} bytes/,
  );
  expect(readdirSync(disk)).toEqual([]);
});

test('a backup reports how far it has come, and that it is verified', async () => {
  const { dataDir, sell } = await openShop();
  await sell('a');
  const steps: BackupProgress[] = [];
  await backUp(dataDir, join(temporaryFolder(), 'copy.db'), (progress) => steps.push(progress));
  expect(steps.at(-1)).toEqual({ step: 'verify' });
});
