// One-time links into the console.

import { join } from 'node:path';

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';

import { openStore } from '../../../../../server/store/open-store.ts';
import { openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

test('a link lets one in, once, also one that another process made', async () => {
  const dataDir = temporaryFolder();
  const gateway = await openTemporaryStore({ dataDir });
  const command = await openStore({ dataDir, role: 'command' });
  const secret = await command.people.createLink(Date.now() + 60_000);
  expect(secret).toMatch(/^[\w-]{43}$/);
  const uses = await Promise.all([
    gateway.people.useLink(secret),
    gateway.people.useLink(secret),
    command.people.useLink(secret),
  ]);
  expect(uses.toSorted()).toEqual([false, false, true]);
  expect(await gateway.people.useLink(secret)).toBe(false);
  await command.close();
});

test('a link that has expired, or that nobody made, lets nobody in', async () => {
  let now = 1000;
  const store = await openTemporaryStore({ now: () => now });
  const [secret, other] = [await store.people.createLink(2000), await store.people.createLink(3000)];
  now = 2000;
  for (const each of [secret, '', `${other}x`, 'prod_something']) expect(await store.people.useLink(each)).toBe(false);
  expect(await store.people.useLink(other)).toBe(true);
});

test('only digests are on disk, and what has expired is gone with the next use', async () => {
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
