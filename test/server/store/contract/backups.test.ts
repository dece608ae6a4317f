// The contract of the ledger of backups, for every engine.

import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { BackupProgress } from '../../../../server/contract/backups.ts';
import { mountSmallDisk, remount } from '../../../support/small-disk.ts';
import { arrivalOf, makeKey, temporaryFolder } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const LANE = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
const ignore = (): void => {};

describe.each(engines)('backups on $name', ({ makeSite }) => {
  test('a backup is made, checked and listed, and counts as the last one', async () => {
    const { backups, health } = await makeSite().open();
    const folder = temporaryFolder();
    const steps: BackupProgress[] = [];
    expect(await health.lastBackupAt()).toBeNull();
    const made = await backups.make(folder, (step) => steps.push(step));
    expect(made.path.startsWith(join(folder, 'counterfoil-'))).toBe(true);
    expect(existsSync(made.path)).toBe(true);
    const { isOnDataDisk: _, ...file } = made;
    expect(await backups.list(folder)).toEqual([file]);
    expect(await health.lastBackupAt()).toBe(made.begunAt);
    expect(steps).toContainEqual({ step: 'verify' });
    expect(await backups.list(temporaryFolder())).toEqual([]);
  });

  test('rotation keeps the newest backups, and files that it did not write or that were changed', async () => {
    let now = 1_760_000_000_000;
    const { backups } = await makeSite().open({ now: () => (now += 1000) });
    const folder = temporaryFolder();
    const made = [];
    for (let i = 0; i < 4; i++) made.push((await backups.make(folder, ignore)).path);
    const mine = join(folder, 'counterfoil-2020-01-01T00-00-00-000Z.db');
    writeFileSync(mine, 'mine');
    writeFileSync(made[1]!, 'another file'); // with the name of a backup
    await backups.rotate(folder, 1);
    expect([mine, ...made].map((path) => existsSync(path))).toEqual([true, false, true, false, true]);
    await backups.rotate(folder, 1);
    expect(await backups.list(folder)).toMatchObject([{ path: made[3] }]);
  });

  test('a backup that a person has touched is kept', async () => {
    const { backups } = await makeSite().open();
    const folder = temporaryFolder();
    const { path } = await backups.make(folder, ignore);
    utimesSync(path, 0, 0);
    await backups.rotate(folder, 0);
    expect(existsSync(path)).toBe(true);
  });

  test('a backup that somebody deleted is forgotten', async () => {
    const { backups } = await makeSite().open();
    const folder = temporaryFolder();
    rmSync((await backups.make(folder, ignore)).path);
    await backups.rotate(folder, 0);
    expect(await backups.list(folder)).toEqual([]);
  });

  test('parts of an interrupted backup are deleted by the next one', async () => {
    const { backups } = await makeSite().open();
    const folder = join(temporaryFolder(), 'share');
    await expect(backups.make(folder, ignore)).rejects.toMatchObject({ code: 'unreachable' });
    mkdirSync(folder);
    await backups.make(folder, ignore);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(await backups.list(folder)).toHaveLength(1);
  });

  test('the error names the cause: no folder, a full disk, a read-only disk', async ({ skip }) => {
    const site = await makeSite().open();
    const none = join(temporaryFolder(), 'none');
    await expect(site.backups.make(none, ignore)).rejects.toMatchObject({ code: 'unreachable' });
    // Looks first for parts of the failed backup.
    await expect(site.backups.make(none, ignore)).rejects.toMatchObject({ code: 'unreachable' });
    const disk = mountSmallDisk();
    if (disk === undefined) return skip('not run: needs Linux and root');
    writeFileSync(join(disk, 'filler'), Buffer.alloc(11.9 * 1024 * 1024));
    await expect(site.backups.make(disk, ignore)).rejects.toMatchObject({ code: 'full' });
    rmSync(join(disk, 'filler'));
    remount(disk, 'ro');
    await expect(site.backups.make(disk, ignore)).rejects.toMatchObject({ code: 'read_only' });
    expect(readdirSync(disk)).toEqual([]);
    remount(disk, 'rw');
    expect(await site.backups.make(disk, ignore)).toMatchObject({ isOnDataDisk: false });
  });

  test('sales are stored while a backup runs', async () => {
    const { backups, records, ...store } = await makeSite().open();
    const key = await makeKey({ ...store, backups, records } as never);
    const folder = temporaryFolder();
    const [made] = await Promise.all([
      backups.make(folder, ignore),
      ...Array.from({ length: 200 }, (_, i) => records.append(arrivalOf(key, { externalId: `sale ${i}` }))),
    ]);
    expect(await backups.list(folder)).toMatchObject([{ path: made.path }]);
  });

  test('records exist only here while they are neither upstream nor in a backup on another disk', async ({ skip }) => {
    const disk = mountSmallDisk();
    if (disk === undefined) return skip('not run: needs Linux and root');
    const store = await makeSite().open();
    const key = await makeKey(store);
    const sell = async (externalId: string): Promise<void> =>
      void (await store.records.append(arrivalOf(key, { externalId })));
    const { journalId } = key;
    const count = (): Promise<number> => store.backups.countOnlyHere(journalId);
    for (const id of ['a', 'b', 'c']) await sell(id);
    expect(await count()).toBe(3);
    const lane = (await store.outbox.listLaneStatus()).find((each) => each.interface === LANE.interface)!;
    const { records } = await store.outbox.listWaiting(lane.id, 0);
    const outcome = { attempts: 1, answeredAt: 1, answerStatus: 201, answer: null, upstreamStatus: null };
    const settle = (at: number, state: 'delivered' | 'held'): Promise<number[]> => {
      const { recordId, status, soldAt } = records[at]!;
      return store.outbox.settle(lane.id, [{ recordId, status, soldAt, state, ...outcome }]);
    };
    await settle(0, 'delivered');
    await settle(1, 'held');
    expect(await count()).toBe(2);
    await store.backups.make(temporaryFolder(), ignore); // on the disk of the data
    expect(await count()).toBe(2);
    await store.backups.make(disk, ignore);
    expect(await count()).toBe(0);
    await sell('d');
    expect(await count()).toBe(1);
    expect(await store.backups.countOnlyHere(journalId + 1)).toBe(0);
  });
});
