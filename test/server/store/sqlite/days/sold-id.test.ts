// The ids that were sold in a range, by till.

import { expect, test } from 'vitest';

import { arrivalOf, makeKey, openTemporaryStore } from '../../../../support/temp-store.ts';

const FROM = 1_760_000_000;
const RANGE = { from: FROM, to: FROM + 100 };

test('the ids of a range are those of its NEW records of the current interface, by till and as they were sold', async () => {
  const store = await openTemporaryStore();
  const key = await makeKey(store);
  const spare = await makeKey(store);
  const kiosk = await makeKey(store, 'Kiosk');
  const other = await makeKey(store, 'Till 1', { mode: 'test' });
  for (const call of [
    arrivalOf(key, { externalId: 'c', soldAt: FROM + 50 }),
    arrivalOf(spare, { externalId: 'b', soldAt: FROM + 40, type: 'refund' }),
    arrivalOf(kiosk, { externalId: 'k', soldAt: FROM + 45 }),
    arrivalOf(key, { externalId: 'c', soldAt: FROM + 50 }),
    arrivalOf(key, { externalId: 'c', soldAt: FROM + 51 }),
    arrivalOf(key, { externalId: 'a', soldAt: FROM }),
    arrivalOf(key, { externalId: 'before', soldAt: FROM - 1 }),
    arrivalOf(key, { externalId: 'after', soldAt: FROM + 100 }),
    arrivalOf(other, { externalId: 'x', soldAt: FROM }),
    { ...arrivalOf(key, { externalId: 'e', soldAt: FROM }), earlier: { version: 'v1', method: 'POST' } as const },
  ])
    await store.records.append(call);
  expect(await store.days.listSoldIds(key.journalId, RANGE)).toEqual({
    tills: [
      { label: 'Till 1', ids: ['a', 'b', 'c'] },
      { label: 'Kiosk', ids: ['k'] },
    ],
    isPartial: false,
  });
});

test('of very many ids the first are read, and that there are more is said', async () => {
  const store = await openTemporaryStore();
  const key = await makeKey(store);
  const append = (n: number) =>
    store.records.append(arrivalOf(key, { externalId: `id-${n}`, soldAt: FROM + (n % 100) }));
  for (let n = 0; n < 50_000; n += 5000) await Promise.all(Array.from({ length: 5000 }, (_, more) => append(n + more)));
  const all = await store.days.listSoldIds(key.journalId, RANGE);
  expect([all.tills[0]?.ids.length, all.isPartial]).toEqual([50_000, false]);
  await append(50_000); // in the first second
  const first = await store.days.listSoldIds(key.journalId, RANGE);
  expect([first.tills[0]?.ids.length, first.isPartial]).toEqual([50_000, true]);
  expect(first.tills[0]?.ids).toContain('id-50000');
  expect(first.tills[0]?.ids).not.toContain('id-49999');
});
