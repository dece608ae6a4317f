// Before an update migrates the data, a backup of them is made, from which an earlier version can restore them.

import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { backUp } from '../../../../../server/store/sqlite/files/backup.ts';
import { restoreBackup } from '../../../../../server/store/sqlite/files/restore.ts';
import { checkFile } from '../../../../../server/store/sqlite/integrity/check-file.ts';
import { SCHEMA_VERSION } from '../../../../../server/store/sqlite/migrations.ts';
import type { StoreOptions, UpdateBackup } from '../../../../../server/store/store.ts';
import { changeSql } from '../../../../support/damage.ts';
import { folderAtVersion2, rowsOf, withDatabase } from '../../../../support/old-data.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

/** Opens and closes the store of a folder. Resolves to the backup that it reports. */
async function update(dataDir: string, role: StoreOptions['role'] = 'gateway'): Promise<UpdateBackup | undefined> {
  let found: UpdateBackup | undefined;
  const store = await openStore({ dataDir, role, onUpdateBackup: (backup) => void (found = backup) });
  await store.close();
  return found;
}

const names = (dataDir: string): string[] => readdirSync(join(dataDir, 'backups')).toSorted();

test.each(['gateway', 'command'] as const)('a %s that migrates data keeps them as a sound backup', async (role) => {
  const dataDir = folderAtVersion2();
  const before = withDatabase(dataDir, rowsOf);
  const path = join(dataDir, 'backups', 'before-update-from-schema-2.db');
  expect(await update(dataDir, role)).toEqual({ kind: 'made', path });
  expect(names(dataDir)).toEqual(['before-update-from-schema-2.db']);
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(checkFile(path)).toMatchObject({ structure: [], damagedRecords: [], records: before['records']?.length });
  const db = new Database(path, { readonly: true });
  expect(rowsOf(db)['records']).toEqual(before['records']);
  db.close();
  const other = temporaryFolder();
  expect(await restoreBackup(other, path, 1_770_000_000_000)).toMatchObject({ schema: 2 });
});

test('a gateway tells that it updates data, before and until the end, and only then', async () => {
  const dataDir = folderAtVersion2();
  const told: [step: number, steps: number][] = [];
  const open = async (): Promise<void> => {
    const onUpdate = (...step: [number, number]): void => void told.push(step);
    const store = await openStore({ dataDir, role: 'gateway', onUpdate });
    await store.close();
  };
  await open();
  expect(told.filter(([step]) => step === 0)).toEqual([[0, 0]]);
  told.length = 0;
  await open();
  expect(told).toEqual([]);
});

test('without a migration, no backup is made', async () => {
  const dataDir = temporaryFolder();
  expect(await update(dataDir)).toBeUndefined();
  expect(await update(dataDir)).toBeUndefined();
  expect(existsSync(join(dataDir, 'backups'))).toBe(false);
});

test('the backups of the last two updates stay, and no other file is deleted', async () => {
  const dataDir = folderAtVersion2();
  mkdirSync(join(dataDir, 'backups'));
  for (const [name, age] of [
    ['before-update-from-schema-1.db', 3],
    ['before-update-from-schema-7.db', 1],
    ['before-update-from-schema-x.db', 9],
    ['monday.db', 9],
  ] as const) {
    writeFileSync(join(dataDir, 'backups', name), '');
    utimesSync(join(dataDir, 'backups', name), new Date(), new Date(Date.now() - age * 86_400_000));
  }
  await update(dataDir);
  expect(names(dataDir)).toEqual([
    'before-update-from-schema-2.db',
    'before-update-from-schema-7.db',
    'before-update-from-schema-x.db',
    'monday.db',
  ]);
});

test('the backup that the app has just made counts, so that there are not two', async () => {
  const dataDir = folderAtVersion2();
  mkdirSync(join(dataDir, 'backups'));
  const path = join(dataDir, 'backups', 'before-update.db');
  await backUp(dataDir, path);
  expect(await update(dataDir)).toEqual({ kind: 'made', path });
  expect(names(dataDir)).toEqual(['before-update.db']);
});

test('if no backup can be made, the update goes on and says so', async () => {
  const dataDir = folderAtVersion2();
  writeFileSync(join(dataDir, 'backups'), 'no folder');
  expect(await update(dataDir)).toMatchObject({
    kind: 'failed',
    cause: { message: expect.stringMatching(/^ENOTDIR/) },
  });
  withDatabase(dataDir, (db) => expect(db.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION));
});

test('an earlier version that cannot read the data names the backup from before the update', async () => {
  const dataDir = folderAtVersion2();
  await update(dataDir);
  const path = join(dataDir, 'backups', 'before-update-from-schema-2.db');
  changeSql(dataDir, `UPDATE oldest_program SET schema = 999; PRAGMA user_version = 999`);
  await expect(update(dataDir)).rejects.toThrow(`without the sales since then: counterfoil restore "${path}"`);
  await expect(update(dataDir, 'command')).rejects.toThrow(`counterfoil restore "${path}"`);
});
