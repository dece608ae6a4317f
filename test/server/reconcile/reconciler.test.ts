// Automatic checks of store days. A day is checked once all its records are visible upstream. A requested check runs
// immediately. An interrupted check resumes after a restart.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import type { Basis } from '../../../server/contract/verdicts.ts';
import { prepareConnections } from '../../../server/forward/connection.ts';
import { openReconciler } from '../../../server/reconcile/reconciler.ts';
import { openStore } from '../../../server/store/open-store.ts';
import type { Key } from '../../../server/store/setup/ledger.ts';
import type { Store } from '../../../server/store/store.ts';
import type { NewVerdict } from '../../../server/store/verdicts/ledger.ts';
import { postBody } from '../../support/http-call.ts';
import { openUpstream } from '../../support/reconciling.ts';
import { arrivalOf, makeKey, openTemporaryStore, settleRecords, temporaryFolder } from '../../support/temp-store.ts';
import { HOUR, MINUTE, startVirtualTime } from '../../support/virtual-time.ts';
import { waitUntil } from '../../support/wait-until.ts';

const LANE = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;
/** Noon on a Wednesday. */
const NOON = Date.UTC(2026, 10, 18, 12);

async function openShop(script: string) {
  const time = startVirtualTime(NOON);
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir, now: time.now });
  const key = await makeKey(store, 'Till 1', { mode: 'test' });
  await store.setup.changeAdministration('Bakery', { timeZone: 'UTC' }, 'test');
  const upstream = await openUpstream(script);
  await store.outbox.performAct(
    LANE,
    { kind: 'set upstream', upstream: { url: upstream.url, token: 'test_up' } },
    'test',
  );
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
  async function passMinutes(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      await time.pass(MINUTE);
      await delay(5); // lets calls over the network finish
    }
  }
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
    dates: () => verdicts.map(({ day, verdict }) => `${day.date} ${verdict}`),
    passMinutes,
    /** Advances the time, by at most two hours, until there are `count` verdicts on this basis. */
    async passUntil(count: number, basis: Basis): Promise<void> {
      const end = time.now() + 2 * HOUR;
      const countNow = (): number => verdicts.filter((verdict) => verdict.basis === basis).length;
      while (countNow() < count && time.now() < end) await passMinutes(1);
      await waitUntil(() => countNow() >= count); // on a busy machine, a call over the network takes longer
      expect(countNow()).toBe(count);
    },
  };
}

/** Adds a delivered record, whose answer came at the time of its sale. */
async function sell(store: Store, key: Key, id: string, soldAt: number): Promise<void> {
  const outcome = await store.records.append(
    arrivalOf(key, { externalId: id, soldAt: soldAt / 1000, receivedAt: soldAt }),
  );
  const lane = store.outbox.lanes().find((each) => each.journalId === key.journalId && each.interface === 'current');
  await settleRecords(store, lane?.id ?? 0, [outcome.recordId], { state: 'delivered', answeredAt: soldAt });
}

test('a day is checked four hours after its end, and again only after a late record', async () => {
  const { time, store, key, upstream, dates, passUntil, faults } = await openShop('accept');
  await sell(store, key, 'a', NOON);
  await post(upstream.url, 'a', NOON);
  await time.pass(15 * HOUR); // this is 03:00 at night, before the check is due
  expect(upstream.summary().queries).toBe(0);
  await passUntil(1, 'counts');
  expect(time.now()).toBeGreaterThan(NOON + 16 * HOUR);
  for (let hours = 0; hours < 5; hours++) await time.pass(HOUR);
  expect(dates()).toEqual(['2026-11-18 complete']);

  await sell(store, key, 'late', NOON + HOUR);
  await post(upstream.url, 'late', NOON + HOUR);
  await passUntil(2, 'counts');
  expect(dates()).toEqual(['2026-11-18 complete', '2026-11-18 complete']);
  expect(faults).toEqual([]);
});

test('a day with a declared total before the first sale is checked too', async () => {
  const { store, key, dates, passUntil } = await openShop('accept');
  const total = { date: '2026-11-16', type: null, tillId: null, records: 0 };
  await store.declared.declare(key.journalId, [total], { actor: 'Till 1', source: 'till' });
  await passUntil(2, 'counts');
  expect(dates()).toEqual(['2026-11-16 complete', '2026-11-17 complete']);
});

test('every id of a week is compared when the week is over', async () => {
  const { time, store, key, upstream, verdicts, passUntil } = await openShop('accept');
  await sell(store, key, 'a', NOON);
  await post(upstream.url, 'a', NOON);
  for (let days = 19; days <= 23; days++) {
    time.jump(Date.UTC(2026, 10, days, 4) - time.now());
    await passUntil(days - 18, 'counts');
  }
  await passUntil(5, 'ids');
  const passed = verdicts.filter(({ basis }) => basis === 'ids').map(({ day }) => day.date);
  expect(passed).toEqual(['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22']);
});

test('a clock that was ahead and is set back delays no check', async () => {
  const { time, store, key, upstream, dates, passMinutes, passUntil } = await openShop('accept');
  await sell(store, key, 'a', NOON);
  await post(upstream.url, 'a', NOON);
  time.setWallClock(NOON + 72 * HOUR);
  await passUntil(3, 'counts');
  await passMinutes(5); // by now the next poll is scheduled
  time.setWallClock(NOON + 15 * HOUR);
  await passUntil(4, 'counts');
  expect(dates().at(-1)).toBe('2026-11-18 complete');
});

test('a check requested by another process runs at once, and an interrupted one resumes after a restart', async () => {
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
    resend: false,
    actor: 'command line',
    askedAt: NOON,
  };
  await beside.checks.request(wanted);
  await beside.close();
  await upstream.waitUntil(({ queries }) => queries === 2);
  await expect.poll(dates).toEqual(['2026-11-16 complete']);
  await upstream.setScript('accept');
  await restart();
  await expect.poll(dates).toEqual(['2026-11-16 complete', '2026-11-17 complete']);
});

test('a requested check ends the wait for a silent upstream', async () => {
  const { time, store, key, upstream, dates, passMinutes } = await openShop('query: 500; accept');
  await sell(store, key, 'a', NOON - 24 * HOUR);
  await post(upstream.url, 'a', NOON - 24 * HOUR);
  const day = {
    journalId: key.journalId,
    from: '2026-11-17',
    to: '2026-11-17',
    byIds: false,
    resend: false,
    actor: 'Ann',
  };
  await store.checks.request({ ...day, askedAt: NOON });
  await passMinutes(30); // by now the upstream is queried every few minutes
  await time.waitForTimers(1); // the wait for the next query, so that none is under way
  await upstream.setScript('accept');
  await delay(20);
  expect(dates()).toEqual(['2026-11-17 cannot tell']);
  await store.checks.request({ ...day, askedAt: NOON });
  await expect.poll(() => dates()[1]).toBe('2026-11-17 complete');
});

/** Sends a record to the upstream directly. */
async function post(url: string, id: string, soldAt: number): Promise<void> {
  const timestamp = `${new Date(soldAt).toISOString().slice(0, 19)}Z`;
  const body = JSON.stringify({ type: 'sale', external_id: id, timestamp, object: {} });
  expect((await postBody(url, 'test_up', body)).status).toBe(201);
}
