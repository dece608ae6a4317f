// The sleeps of the machine, for the diary of a day.

import { expect, test } from 'vitest';

import { openTemporaryStore } from '../../../../support/temp-store.ts';

test('those that touch a range are listed in order, and no others', async () => {
  const store = await openTemporaryStore();
  const sleeps = [
    { from: 1000, to: 2000 },
    { from: 5000, to: 8000 },
    { from: 9500, to: 30_000 },
  ];
  for (const sleep of sleeps) await store.health.noteSleep(sleep);
  expect(await store.health.listSleeps({ from: 0, to: 100 })).toEqual(sleeps);
  expect(await store.health.listSleeps({ from: 2, to: 5 })).toEqual([]);
  expect(await store.health.listSleeps({ from: 7, to: 10 })).toEqual(sleeps.slice(1));
});
