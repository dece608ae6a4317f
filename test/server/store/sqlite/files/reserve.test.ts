// The reserve file, which the gateway deletes when the disk is full. Closing the reserve waits until the writes to this file
// have ended.

import { existsSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { openReserve } from '../../../../../server/store/sqlite/files/reserve.ts';
import { temporaryFolder } from '../../../../support/temp-store.ts';

test('after closing, nothing of it is written, not even if its creation waited for another', async ({ skip }) => {
  const dataDir = temporaryFolder();
  const { bavail, bsize } = statfsSync(dataDir);
  if (bavail * bsize < 2 ** 27) return skip('not run: needs 128 MiB of space');
  const reserve = openReserve(dataDir);
  const file = join(dataDir, 'disk.reserve');
  const first = reserve.make();
  await expect.poll(() => existsSync(file)).toBe(true);
  const second = reserve.make();
  await reserve.close();
  await Promise.all([first, second]);
  expect(existsSync(file)).toBe(false);

  const other = openReserve(dataDir);
  await other.make();
  expect(existsSync(file)).toBe(true);
  rmSync(file);
  const last = other.make();
  await other.close();
  await last;
  expect(existsSync(file)).toBe(false);
});
