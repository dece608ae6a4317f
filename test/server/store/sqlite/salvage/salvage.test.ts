// Salvage keeps the new data private, and finds the files that belong to a database.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { databasePath } from '../../../../../server/store/sqlite/engine/database.ts';
import { LOCK_FILE } from '../../../../../server/store/sqlite/files/lock.ts';
import { restoreBackup } from '../../../../../server/store/sqlite/files/restore.ts';
import { type SalvageProgress, salvage } from '../../../../../server/store/sqlite/salvage/salvage.ts';
import { killGatewayAfter } from '../../../../support/killed-gateway.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

const NOW = 1_770_000_000_000;
const isWindows = process.platform === 'win32';

/** A closed data directory with one sale. */
async function makeData(): Promise<string> {
  const dataDir = temporaryFolder();
  const store = await openStore({ dataDir, role: 'gateway' });
  await store.records.append(arrivalOf(await makeKey(store), { externalId: 'a' }));
  await store.close();
  return dataDir;
}

/** A symbolic link to the database of a data directory. */
function linkTo(dataDir: string): string {
  const link = join(temporaryFolder(), 'link.db');
  symlinkSync(databasePath(dataDir), link);
  return link;
}

const newFolder = (): string => join(temporaryFolder(), 'new');

test.skipIf(isWindows)(
  'in a folder that others may read, only the owner can read the new files at any time',
  async () => {
    const dataDir = await makeData();
    const toDir = newFolder();
    mkdirSync(toDir);
    chmodSync(toDir, 0o755);
    const modes = (): number[] => readdirSync(toDir).map((name) => statSync(join(toDir, name)).mode & 0o777);
    const seen: [SalvageProgress['step'], number[]][] = [];
    await salvage({ path: databasePath(dataDir), dataDir }, toDir, NOW, ({ step }) => seen.push([step, modes()]));
    expect(seen).toEqual([
      ['derive', [0o600]],
      ['check', [0o600]],
    ]);
    expect(modes()).toEqual([0o600]);
  },
);

test.skipIf(isWindows)('of a symbolic link, the log beside the file it leads to is read', async () => {
  const { dataDir } = await killGatewayAfter(5);
  const found = await salvage({ path: linkTo(dataDir), dataDir: undefined }, newFolder(), NOW);
  expect(found).toMatchObject({ records: 5, missing: 0, log: 'sound' });
});

test.skipIf(isWindows)('a running gateway is found through a symbolic link to its database', async () => {
  const dataDir = temporaryFolder();
  await openTemporaryStore({ dataDir });
  const path = linkTo(dataDir);
  await expect(salvage({ path, dataDir: undefined }, newFolder(), NOW)).rejects.toThrow(/A gateway is running on/);
  const otherDir = temporaryFolder();
  symlinkSync(databasePath(dataDir), databasePath(otherDir));
  await expect(salvage({ path: databasePath(otherDir), dataDir: otherDir }, newFolder(), NOW)).rejects.toThrow(
    /A gateway is running on/,
  );
});

test.skipIf(isWindows).each(['counterfoil.db-wal', LOCK_FILE])(
  'a pipe in the place of %s is refused by its name',
  async (name) => {
    const dataDir = await makeData();
    const pipe = join(dataDir, name);
    rmSync(pipe, { force: true });
    execFileSync('mkfifo', [pipe]);
    const toDir = newFolder();
    await expect(salvage({ path: databasePath(dataDir), dataDir }, toDir, NOW)).rejects.toThrow(
      `${pipe} is not a regular file. Move it to another folder, then salvage again.`,
    );
    expect(existsSync(toDir)).toBe(false);
  },
);

test('restored salvaged data do not count as a backup', async () => {
  const dataDir = await makeData();
  const toDir = newFolder();
  await salvage({ path: databasePath(dataDir), dataDir }, toDir, NOW);
  const restored = await restoreBackup(dataDir, databasePath(toDir), NOW);
  expect(restored.madeAt).toBe(null);
  const store = await openTemporaryStore({ dataDir });
  expect(await store.health.lastBackupAt()).toBe(null);
  expect(store.outbox.lanes().every(({ isRestored }) => isRestored)).toBe(true);
});
