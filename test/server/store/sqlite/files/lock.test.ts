// The lock with which a gateway owns its data directory. The tests use real files.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import {
  isOwned,
  keepOwnerLock,
  LOCK_FILE,
  type OwnerLock,
  takeOwnerLock,
} from '../../../../../server/store/sqlite/files/lock.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

function keep(dataDir: string) {
  const faults: string[] = [];
  const losses: string[] = [];
  const first = takeOwnerLock(dataDir);
  if (first === undefined) throw new Error('the lock is taken');
  const lock = keepOwnerLock(dataDir, first, {
    onFault: (error) => void faults.push(String(error)),
    onLost: (error) => void losses.push(String(error)),
  });
  onTestFinished(() => lock.release());
  return { lock, faults, losses };
}

test('a lock whose file was deleted is taken again, reported once, and released completely', async () => {
  const dataDir = temporaryFolder();
  const { lock, faults, losses } = keep(dataDir);
  rmSync(join(dataDir, LOCK_FILE));
  await waitUntil(() => faults.length === 1);
  expect(existsSync(join(dataDir, LOCK_FILE))).toBe(true);
  expect(isOwned(dataDir)).toBe(true);
  lock.release();
  expect(isOwned(dataDir)).toBe(false);
  expect([faults, losses]).toEqual([[expect.stringContaining('owner.lock was deleted or replaced')], []]);
});

test('an owner that has lost its lock to another for seconds is told to stop', async () => {
  const dataDir = temporaryFolder();
  const { losses } = keep(dataDir);
  rmSync(join(dataDir, LOCK_FILE));
  const other = takeOwnerLock(dataDir) as OwnerLock;
  onTestFinished(() => other.release());
  await waitUntil(() => losses.length > 0);
  expect(losses).toEqual([expect.stringContaining('another process keeps it')]);
});

test('an owner that has lost its lock only for a moment continues', async () => {
  const dataDir = temporaryFolder();
  const { faults, losses } = keep(dataDir);
  rmSync(join(dataDir, LOCK_FILE));
  takeOwnerLock(dataDir)?.release(); // a second gateway does this and then fails because its ports are in use
  await waitUntil(() => faults.length === 1);
  expect(losses).toEqual([]);
});
