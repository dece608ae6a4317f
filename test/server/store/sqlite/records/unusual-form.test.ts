// Unusual forms of calls are counted per key and form. The counts are written after the answer. A call in a usual form writes
// no count.

import { describe, expect, test } from 'vitest';

import { databasePath, openDatabase } from '../../../../../server/store/sqlite/engine/database.ts';
import { UNUSUAL_FORMS_SQL } from '../../../../../server/store/sqlite/records/unusual-form.ts';
import { makeKey, openTemporaryStore, temporaryFolder } from '../../../../support/temp-store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const fraction = (example: string) => ({ form: 'timestamp_fraction', example }) as const;
const offset = (example: string) => ({ form: 'timestamp_offset', example }) as const;

describe('unusual forms', () => {
  test('are counted by key and form, with the first time, the last time and the newest example', async () => {
    const store = await openTemporaryStore();
    const [one, two] = [await makeKey(store), await makeKey(store, 'Till 2')];
    store.records.noteUnusualForms(one.id, 1000, [fraction('a'), offset('b')]);
    store.records.noteUnusualForms(one.id, 2000, [fraction('c')]);
    expect(await store.records.listUnusualForms()).toHaveLength(2); // listing also writes the pending counts
    store.records.noteUnusualForms(one.id, 3000, [fraction('d')]);
    store.records.noteUnusualForms(two.id, 500, [offset('e')]);
    expect(await store.records.listUnusualForms()).toEqual([
      { keyId: one.id, form: 'timestamp_fraction', calls: 3, firstAt: 1000, lastAt: 3000, example: 'd' },
      { keyId: one.id, form: 'timestamp_offset', calls: 1, firstAt: 1000, lastAt: 1000, example: 'b' },
      { keyId: two.id, form: 'timestamp_offset', calls: 1, firstAt: 500, lastAt: 500, example: 'e' },
    ]);
  });

  test('survive a restart, and are written when the store closes', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    const key = await makeKey(store);
    store.records.noteUnusualForms(key.id, 1000, [offset('a')]);
    await store.close();
    const again = await openTemporaryStore({ dataDir });
    expect(await again.records.listUnusualForms()).toMatchObject([{ keyId: key.id, calls: 1 }]);
  });

  test('of a till include all its keys in the last thirty days', async () => {
    const now = 100 * DAY_MS;
    const store = await openTemporaryStore({ now: () => now });
    const [old, fresh] = [await makeKey(store), await makeKey(store)];
    await makeKey(store, 'Till 2');
    store.records.noteUnusualForms(old.id, now - 20 * DAY_MS, [fraction('old'), offset('x')]);
    store.records.noteUnusualForms(fresh.id, now - 1000, [fraction('new')]);
    store.records.noteUnusualForms(fresh.id, now - 31 * DAY_MS, [{ form: 'byte_order_mark', example: 'y' }]);
    expect(await store.glance.listTills(old.journalId, [])).toMatchObject([
      {
        label: 'Till 1',
        unusualForms: [
          { form: 'timestamp_fraction', calls: 2, firstAt: now - 20 * DAY_MS, lastAt: now - 1000, example: 'new' },
          { form: 'timestamp_offset', calls: 1 },
        ],
      },
      { label: 'Till 2', unusualForms: [] },
    ]);
  });

  test('that a newer program counted are left out', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    const key = await makeKey(store);
    const db = openDatabase(databasePath(dataDir), 'write');
    db.exec(`INSERT INTO unusual_forms VALUES (${key.id}, 'unheard_of', 1, 1000, 1000, 'a')`);
    db.close();
    expect(await store.records.listUnusualForms()).toEqual([]);
  });

  test('cost no write for a usual call', async () => {
    const dataDir = temporaryFolder();
    const store = await openTemporaryStore({ dataDir });
    const key = await makeKey(store);
    store.records.noteUnusualForms(key.id, 1000, []);
    const db = openDatabase(databasePath(dataDir), 'read');
    const version = (): unknown => db.pragma('data_version', { simple: true });
    const before = version();
    await store.records.listUnusualForms();
    expect(version()).toBe(before);
    db.close();
  });

  test('are read with one scan of their small table', async () => {
    const dataDir = temporaryFolder();
    await openTemporaryStore({ dataDir });
    const db = openDatabase(databasePath(dataDir), 'read');
    expect(db.prepare(`EXPLAIN QUERY PLAN ${UNUSUAL_FORMS_SQL}`).all()).toMatchObject([
      { detail: 'SCAN unusual_forms' },
    ]);
    db.close();
  });
});
