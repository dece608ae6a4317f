// The health of the store and its machine: the integrity check, the scrub, sleeps, and the load.

import { describe, expect, test } from 'vitest';

import type { Store } from '../../../../server/store/store.ts';
import { arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const NOW = 1_760_000_000_000;

async function sell(store: Store, count: number): Promise<void> {
  const key = await makeKey(store);
  await Promise.all(
    Array.from({ length: count }, (_, n) => store.records.append(arrivalOf(key, { externalId: `T-${n}` }))),
  );
}

describe.each(engines)('health on $name', ({ makeSite }) => {
  const open = () => makeSite().open({ now: () => NOW });

  test.each([0, 3])('the check of an undamaged store with %i records finds no fault', async (records) => {
    const store = await open();
    if (records > 0) await sell(store, records);
    expect(await store.health.check()).toEqual({
      structure: [],
      damagedRecords: [],
      archiveFaults: [],
      countFaults: [],
      saleFaults: [],
      wrongAmounts: [],
      amountFaults: [],
      deliveryFaults: [],
      records,
    });
  });

  test('an undamaged store has no trouble, and reports no fault of its machine except the disk', async () => {
    const { health } = await open();
    expect(health.trouble()).toBeUndefined();
    expect(await health.readMachine()).toMatchObject({ clock: null, walDamage: null, damaged: null, indexFault: null });
  });

  test('the schema is the one of this program, and the size grows with the records', async () => {
    const store = await open();
    const { schema, programSchema, bytes } = await store.health.readDatabase();
    expect(schema).toBe(programSchema);
    await sell(store, 700);
    expect((await store.health.readDatabase()).bytes).toBeGreaterThan(bytes);
  });

  test('the tables are described by their schema and their number of rows', async () => {
    const store = await open();
    await sell(store, 3);
    const { schema, rows } = await store.health.describeTables();
    expect(rows).toContainEqual({ table: 'records', rows: 3 });
    for (const { table } of rows.filter(({ table: name }) => !name.startsWith('sqlite_')))
      expect(schema).toContain(table);
  });

  test('a scrub goes through all records slice by slice, and the next one begins again', async () => {
    const store = await open();
    const { health } = store;
    expect(await health.readScrub()).toEqual({ begunAt: null, endedAt: null, afterId: 0 });
    await sell(store, 700);
    expect(await health.scrubSlice()).toEqual({ hasMore: true, hasDamage: false });
    const { afterId } = await health.readScrub();
    expect(await health.readScrub()).toEqual({ begunAt: NOW, endedAt: null, afterId });
    expect(afterId).toBeGreaterThan(0);
    expect(await health.scrubSlice()).toEqual({ hasMore: false, hasDamage: false });
    expect(await health.readScrub()).toEqual({ begunAt: NOW, endedAt: NOW, afterId: 700 });
    expect(await health.scrubSlice()).toEqual({ hasMore: true, hasDamage: false });
    expect(await health.readScrub()).toEqual({ begunAt: NOW, endedAt: null, afterId });
  });

  test('a scrub of a store without records ends at once', async () => {
    const { health } = await open();
    expect(await health.scrubSlice()).toEqual({ hasMore: false, hasDamage: false });
    expect(await health.readScrub()).toEqual({ begunAt: NOW, endedAt: NOW, afterId: 0 });
  });

  test('sleeps that touch a range are listed in order, and no others', async () => {
    const { health } = await open();
    expect(await health.listSleeps({ from: 0, to: 100 })).toEqual([]);
    const sleeps = [
      { from: 1000, to: 2000 },
      { from: 5000, to: 8000 },
      { from: 9500, to: 30_000 },
    ];
    for (const sleep of sleeps) await health.noteSleep(sleep);
    expect(await health.listSleeps({ from: 0, to: 100 })).toEqual(sleeps);
    expect(await health.listSleeps({ from: 2, to: 5 })).toEqual([]);
    expect(await health.listSleeps({ from: 7, to: 10 })).toEqual(sleeps.slice(1));
  });

  test('the load counts only records whose tills wait', async () => {
    const store = await open();
    const key = await makeKey(store);
    expect(store.health.load()).toMatchObject({ waiting: 0, unanswered: 0 });
    const appended = [1, 2, 3].map((n) => store.records.append(arrivalOf(key, { externalId: `T-${n}` })));
    expect(store.health.load()).toMatchObject({ unanswered: 3 });
    await Promise.all(appended);
    expect(store.health.load()).toMatchObject({ waiting: 0, unanswered: 0 });
  });
});
