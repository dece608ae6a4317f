// Packs beside a folder for temporary files that accepts nothing.

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { packAll } from '../../../../support/archived.ts';
import { mountSmallDisk } from '../../../../support/small-disk.ts';
import { arrivalOf, makeKey, openTemporaryStore } from '../../../../support/temp-store.ts';

test('a full folder for temporary files stops neither packs nor sales', async ({ skip }) => {
  const folder = mountSmallDisk();
  if (folder === undefined) return skip('not run: needs root');
  expect(() => writeFileSync(join(folder, 'filler'), Buffer.alloc(16 * 1024 * 1024))).toThrow('ENOSPC');
  const before = process.env['SQLITE_TMPDIR'];
  process.env['SQLITE_TMPDIR'] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env['SQLITE_TMPDIR'];
    else process.env['SQLITE_TMPDIR'] = before;
  });
  const store = await openTemporaryStore();
  const key = await makeKey(store);
  const sales = Array.from({ length: 1000 }, () =>
    store.records.append(arrivalOf(key, { externalId: randomUUID(), object: { note: 'x'.repeat(100) } })),
  );
  await Promise.all(sales);
  expect(await packAll(store)).toBeGreaterThan(3);
  expect(await store.records.append(arrivalOf(key, { externalId: 'next' }))).toMatchObject({ status: 'NEW' });
});
