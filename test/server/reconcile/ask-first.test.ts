// After a restore, waiting records that the upstream already has are not sent. All other records are.

import { join } from 'node:path';

import { expect, test } from 'vitest';

import { askFirst } from '../../../server/reconcile/ask-first.ts';
import type { UpstreamRecord } from '../../../server/reconcile/compare.ts';
import { backUp, restoreBackup } from '../../../server/store/data-directory.ts';
import type { Range } from '../../../server/store/records/ledger.ts';
import type { Store } from '../../../server/store/store.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

const SOLD_AT = 1_760_000_000;
const LANE = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;

/** A store that was restored from a backup with these waiting sales, and confirmed. `sales` has times of sale by id. */
async function openRestored(sales: Readonly<Record<string, number>>): Promise<Store> {
  const old = temporaryFolder();
  const store = await openTemporaryStore({ dataDir: old });
  const key = await makeKey(store);
  const upstream = { url: 'https://upstream.test', token: 'prod_x' };
  await store.outbox.performAct(LANE, { kind: 'set upstream', upstream }, 'test');
  for (const [externalId, soldAt] of Object.entries(sales))
    await store.records.append(arrivalOf(key, { externalId, soldAt }));
  const [dataDir, file] = [temporaryFolder(), join(temporaryFolder(), 'backup.db')];
  await backUp(old, file);
  await restoreBackup(dataDir, file, Date.now());
  const restored = await openTemporaryStore({ dataDir });
  expect(await restored.outbox.confirmRestore('Ann')).toBe(true);
  return restored;
}

const laneOf = (store: Store) => store.outbox.lanes().find(({ interface: by }) => by === 'current')!;
const stateOf = async (store: Store) =>
  (await store.outbox.listLaneStatus()).find(({ interface: by }) => by === 'current')!;

/** Asks an upstream that has these records. Returns the ranges of the queries. */
async function ask(store: Store, records: readonly UpstreamRecord[]): Promise<Range[]> {
  const asked: Range[] = [];
  await askFirst(laneOf(store), {
    store,
    clock: { now: () => 1_760_000_100_000 },
    upstream: {
      list: async (range) => {
        asked.push(range);
        const found = records.filter(({ soldAt }) => soldAt >= range.from && soldAt < range.to);
        return { count: found.length, records: found };
      },
    },
  });
  return asked;
}
const saleOf = (externalId: string, soldAt: number, type = 'sale'): UpstreamRecord => ({ externalId, type, soldAt });

test('a record that the upstream has counts as delivered, and the others wait', async () => {
  const store = await openRestored({ a: SOLD_AT, b: SOLD_AT + 1, c: SOLD_AT + 2 });
  expect(await stateOf(store)).toMatchObject({ state: 'paused', cause: { code: 'asking' }, waiting: 3 });
  await ask(store, [saleOf('b', SOLD_AT + 1), saleOf('other', SOLD_AT)]);
  expect(laneOf(store).asksUpTo).toBeNull();
  expect(await stateOf(store)).toMatchObject({ cause: null, waiting: 2, delivered: 1 });
  expect(await store.health.check()).toMatchObject({ deliveryFaults: [], countFaults: [] });
});

test.each([
  ['another type', saleOf('a', SOLD_AT, 'refund')],
  ['another time', saleOf('a', SOLD_AT + 1)],
  ['another id', saleOf('A', SOLD_AT)],
])('a record with %s is another sale: ours is sent', async (_what, there) => {
  const store = await openRestored({ a: SOLD_AT, b: SOLD_AT + 1 });
  await ask(store, [there]);
  expect(await stateOf(store)).toMatchObject({ waiting: 2, delivered: 0 });
});

test('sales after the restore are not asked for', async () => {
  const store = await openRestored({ a: SOLD_AT });
  const [key] = await store.setup.listKeys();
  await store.records.append(arrivalOf(key!, { externalId: 'new', soldAt: SOLD_AT + 10 }));
  expect(await ask(store, [saleOf('new', SOLD_AT + 10)])).toEqual([{ from: SOLD_AT, to: SOLD_AT + 1 }]);
  expect(await stateOf(store)).toMatchObject({ waiting: 2, delivered: 0 });
});

test('one query is enough for sales in a row, and a year without sales is not asked for', async () => {
  const year = 365 * 86_400;
  const row = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`sale ${i}`, SOLD_AT + i]));
  const store = await openRestored({ ...row, late: SOLD_AT - year });
  const asked = await ask(store, []);
  expect(asked.length).toBeLessThanOrEqual(4);
  for (const { from, to } of asked) expect(to - from).toBeLessThanOrEqual(600);
});

test('if the upstream cannot be asked, the lane keeps waiting until a person resumes it', async () => {
  const store = await openRestored({ a: SOLD_AT });
  const failing = askFirst(laneOf(store), {
    store,
    clock: { now: Date.now },
    upstream: { list: () => Promise.reject(new Error('no answer')) },
  });
  await expect(failing).rejects.toThrow('no answer');
  await store.outbox.performAct(LANE, { kind: 'pause' }, 'Ann');
  await store.outbox.performAct(LANE, { kind: 'resume' }, 'Ann');
  expect(laneOf(store).asksUpTo).not.toBeNull();
  await store.outbox.performAct(LANE, { kind: 'resume' }, 'Ann');
  expect(laneOf(store).asksUpTo).toBeNull();
});
