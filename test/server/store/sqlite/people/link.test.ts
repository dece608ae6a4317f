// One-time links into the console, as they are stored on disk.

import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

test('only digests are on disk, and expired links are deleted at the next use', async () => {
  const dataDir = temporaryFolder();
  let now = 1000;
  const store = await openTemporaryStore({ dataDir, now: () => now });
  const secrets = [await store.people.createLink(2000), await store.people.createLink(3000)];
  const db = new Database(join(dataDir, 'counterfoil.db'), { readonly: true });
  const count = () => db.prepare('SELECT count(*) FROM links').pluck().get();
  expect(count()).toBe(2);
  for (const secret of secrets) expect(db.serialize().includes(secret)).toBe(false);
  now = 2500;
  await store.people.useLink('none');
  expect(count()).toBe(1);
  db.close();
});
