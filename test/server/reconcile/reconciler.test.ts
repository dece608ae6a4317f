// Reconciling by itself: what is due is checked when everything can be seen upstream, what people ask for at once, and after a
// restart what was begun.

import { expect, onTestFinished, test } from 'vitest';

import { prepareConnections } from '../../../server/forward/connection.ts';
import { openReconciler } from '../../../server/reconcile/reconciler.ts';
import type { Key } from '../../../server/store/key.ts';
import { openStore, type Store } from '../../../server/store/store.ts';
import type { NewVerdict } from '../../../server/store/verdict.ts';
import { postBody } from '../../support/http-call.ts';
import { openUpstream } from '../../support/reconciling.ts';
import {
  arrivalOf,
  makeKey,
  openTemporaryStore,
  QUICK_ROOT,
  settleRecords,
  temporaryFolder,
} from '../../support/temp-store.ts';
import { HOUR, MINUTE, startVirtualTime } from '../../support/virtual-time.ts';

const LANE = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;
/** Noon of a Wednesday. */
const NOON = Date.UTC(2026, 10, 18, 12);

async function openShop(script: string) {
  const time = startVirtualTime(NOON);
  const dataDir = temporaryFolder(QUICK_ROOT);
  const store = await openTemporaryStore({ dataDir, now: time.now });
  const key = await makeKey(store, 'Till 1', { mode: 'test' });
  await store.changeAdministration('Bakery', { timeZone: 'UTC' }, 'test');
  const upstream = await openUpstream(script);
  await store.performAct(LANE, { kind: 'set upstream', upstream: { url: upstream.url, token: 'test_up' } }, 'test');
  const verdicts: NewVerdict[] = [];
  const faults: unknown[] = [];
  const open = () =>
    openReconciler({
      store,
      openDispatcher: prepareConnections({ upstreamProxy: undefined, upstreamCa: undefined }),
      clock: time,
      random: () => 0.5,
      onVerdict: (verdict) => void verdicts.push(verdict),
      onFault: (_doing, error) => void faults.push(error),
    });
  let reconciler = open();
  onTestFinished(() => reconciler.close());
  return {
    time,
    store,
    key,
    dataDir,
    upstream,
    verdicts,
    faults,
    async restart() {
      await reconciler.close();
      reconciler = open();
    },
    /** Each day's verdict, once there are so many. */
    async dates(count: number): Promise<string[]> {
      await expect.poll(() => verdicts.length).toBe(count);
      return verdicts.map(({ day, verdict }) => `${day.date} ${verdict}`);
    },
  };
}

/** Sells a record that the upstream has too, and has had since it was sold. */
async function sell(store: Store, key: Key, id: string, soldAt: number): Promise<void> {
  const outcome = await store.append(arrivalOf(key, { externalId: id, soldAt: soldAt / 1000, receivedAt: soldAt }));
  const lane = store.lanes().find((each) => each.journalId === key.journalId && each.interface === 'current');
  await settleRecords(store, lane?.id ?? 0, [outcome.recordId], { state: 'delivered', answeredAt: soldAt });
}

test('a day is checked four hours after its end, and not again unless something comes late', async () => {
  const { time, store, key, upstream, dates, faults } = await openShop('accept');
  await sell(store, key, 'a', NOON);
  await post(upstream.url, 'a', NOON);
  await time.pass(15 * HOUR); // three o'clock at night
  expect(await dates(0)).toEqual([]);
  await time.pass(90 * MINUTE);
  expect(await dates(1)).toEqual(['2026-11-18 complete']);
  await time.pass(5 * HOUR);
  expect(await dates(1)).toHaveLength(1);

  await sell(store, key, 'late', NOON + HOUR);
  await post(upstream.url, 'late', NOON + HOUR);
  await time.pass(20 * MINUTE);
  expect(await dates(2)).toEqual(['2026-11-18 complete', '2026-11-18 complete']);
  expect(faults).toEqual([]);
});

test('every id of a week is compared when it is over', async () => {
  const { time, store, key, upstream, verdicts } = await openShop('accept');
  await sell(store, key, 'a', NOON);
  await post(upstream.url, 'a', NOON);
  for (let hours = 0; hours < 6 * 24; hours++) await time.pass(HOUR);
  const passed = () => verdicts.filter(({ basis }) => basis === 'ids').map(({ day }) => day.date);
  await expect.poll(passed).toEqual(['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22']);
});

test('what another process asks for is checked at once, and what was begun goes on after a restart', async () => {
  const { store, key, dataDir, upstream, dates, restart } = await openShop('query: accept, hang; accept');
  await sell(store, key, 'a', NOON - 24 * HOUR);
  await post(upstream.url, 'a', NOON - 24 * HOUR);
  const beside = await openStore({ dataDir, role: 'command', now: () => NOON });
  const { journalId } = key;
  const wanted = {
    journalId,
    from: '2026-11-16',
    to: '2026-11-17',
    byIds: false,
    actor: 'command line',
    askedAt: NOON,
  };
  await beside.days.requestCheck(wanted);
  await beside.close();
  await upstream.waitUntil(({ queries }) => queries === 2);
  expect(await dates(1)).toEqual(['2026-11-16 complete']);
  await upstream.setScript('accept');
  await restart();
  expect(await dates(2)).toEqual(['2026-11-16 complete', '2026-11-17 complete']);
});

/** Puts a record upstream. */
async function post(url: string, id: string, soldAt: number): Promise<void> {
  const timestamp = `${new Date(soldAt).toISOString().slice(0, 19)}Z`;
  const body = JSON.stringify({ type: 'sale', external_id: id, timestamp, object: {} });
  expect((await postBody(url, 'test_up', body)).status).toBe(201);
}
