// Sales of the earlier interface in the verdict. The upstream has no query for them, so its answers to the sales decide. If it
// did not accept all of them, the day is not complete.

import { expect, test } from 'vitest';

import { databasePath, openDatabase } from '../../../server/store/sqlite/engine/database.ts';
import { openReconciling, openUpstream, type Reconciling, salesOf } from '../../support/reconciling.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

const DAY = '2025-10-09';
const HOUR = 3_600_000;
const MORNING = `${DAY}T07:00:00Z`;
const NOWHERE = 'http://127.0.0.1:1';
const LANE = { administration: 'Bakery', mode: 'test', interface: 'earlier' } as const;

/** Opens a shop with five sent sales of the current interface and ten of the earlier interface. */
async function openShop(script = 'accept', earlierUrl?: string): Promise<Reconciling> {
  const upstream = await openUpstream(script);
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(5, MORNING));
  if (earlierUrl !== '') await shop.setEarlierUpstream(earlierUrl ?? upstream.url);
  await shop.sellEarlier(salesOf(10, MORNING, 60, 'E'));
  return shop;
}

async function dayOf(shop: Reconciling) {
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY);
  const { day } = await shop.day(DAY);
  return { ...day, codes: day.reasons.map(({ code }) => code) };
}

test('a day is complete when the upstream accepted all sales of both interfaces', async () => {
  const shop = await openShop();
  await shop.settle();
  expect(await dayOf(shop)).toMatchObject({
    verdict: 'complete',
    isProvisional: false,
    here: 15,
    earlier: 10,
    earlierTaken: 10,
    upstream: 15,
    basis: 'counts',
  });
  expect(await shop.day(DAY)).toMatchObject({ deliveries: { delivered: 15, waiting: 0 } });
  const [entry] = (await shop.day(DAY)).history;
  expect(entry).toMatchObject({ kind: 'verdict', here: 15, upstream: 15 });
});

test('a day is waiting while sales of the earlier interface wait for a line that is down, with the reason', async () => {
  const shop = await openShop('accept', NOWHERE);
  const lane = async () => (await shop.store.outbox.listLaneStatus()).find(({ url }) => url === NOWHERE);
  await expect.poll(async () => (await lane())?.state).toBe('line down');
  const day = await dayOf(shop);
  expect(day).toMatchObject({ verdict: 'waiting', here: 15, earlier: 10, earlierTaken: 0, upstream: 5 });
  expect(day.reasons).toMatchObject([{ code: 'earlier_on_the_way', count: 10, cause: { code: 'unreachable' } }]);
});

test('a day is waiting while the earlier interface is paused', async () => {
  const upstream = await openUpstream();
  const shop = await openReconciling(upstream);
  await shop.setEarlierUpstream(upstream.url);
  await shop.store.outbox.performAct(LANE, { kind: 'pause' }, 'Ann');
  await shop.sellEarlier(salesOf(3, MORNING));
  const day = await dayOf(shop);
  expect(day).toMatchObject({ verdict: 'waiting', here: 3 });
  expect(day.reasons).toMatchObject([{ code: 'earlier_on_the_way', count: 3, cause: { code: 'paused' } }]);
});

test('a day is not complete while the upstream refuses us on the earlier interface', async () => {
  const shop = await openShop('earlier: 401; accept');
  await expect
    .poll(async () => (await shop.store.outbox.listLaneStatus()).map(({ state }) => state))
    .toContain('refused');
  const day = await dayOf(shop);
  expect(day).toMatchObject({ verdict: 'waiting' });
  expect(day.reasons).toMatchObject([{ code: 'earlier_on_the_way', count: 10, cause: { code: 'key_refused' } }]);
});

test('a day differs if sales of the earlier interface are held or set aside', async () => {
  const shop = await openShop('earlier id=E-1: 422; earlier id=E-2: 422; accept');
  await shop.settle();
  expect(await dayOf(shop)).toMatchObject({ verdict: 'differs', reasons: [{ code: 'earlier_held', count: 2 }] });
  const [held] = await shop.store.records.list({ delivery: 'held', limit: 1 });
  const records = { kind: 'one', recordId: held?.recordId ?? 0 } as const;
  await shop.store.outbox.performAct(LANE, { kind: 'set aside', records, reason: 'known' }, 'Ann');
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'differs',
    reasons: [
      { code: 'earlier_held', count: 1 },
      { code: 'earlier_set_aside', count: 1 },
    ],
  });
});

test('the verdict is “cannot tell” while the earlier interface has no upstream, although its sales were declared', async () => {
  const shop = await openShop('accept', '');
  const by = { actor: 'Ann', source: 'typed' } as const;
  await shop.store.declared.declare(shop.journalId, [{ date: DAY, type: null, tillId: null, records: 15 }], by);
  expect(await dayOf(shop)).toMatchObject({
    verdict: 'cannot tell',
    here: 15,
    declared: 15,
    codes: ['earlier_no_upstream'],
  });
});

test('a day with only the earlier interface rests on answers if the current interface has no upstream', async () => {
  const upstream = await openUpstream();
  const shop = await openReconciling(undefined);
  await shop.setEarlierUpstream(upstream.url);
  await shop.sellEarlier(salesOf(3, MORNING));
  await shop.settle();
  expect(await dayOf(shop)).toMatchObject({ verdict: 'complete', here: 3, upstream: 3, basis: 'answers' });
});

test('the declared total is compared with the sales of both interfaces', async () => {
  const shop = await openShop();
  await shop.settle();
  const by = { actor: 'Ann', source: 'typed' } as const;
  const total = { date: DAY, type: null, tillId: null };
  await shop.store.declared.declare(shop.journalId, [{ ...total, records: 15 }], by);
  expect(await dayOf(shop)).toMatchObject({ verdict: 'complete', declared: 15 });
  await shop.store.declared.declare(shop.journalId, [{ ...total, records: 16 }], by);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'differs',
    reasons: [{ code: 'declared_more', count: 1 }],
  });
});

test('a late sale of the earlier interface re-opens a signed day', async () => {
  const shop = await openShop();
  await shop.settle();
  const { signedFor } = await dayOf(shop);
  const sign = { journal: shop.journalId, date: DAY, kind: 'sign off', signedFor, name: 'Ann', note: '' } as const;
  expect(await shop.days.sign(sign, 'ann')).toBe('done');
  expect((await shop.day(DAY)).day.signOff).toMatchObject({ isReopened: false });
  await shop.sellEarlier({ late: `${DAY}T20:00:00Z` });
  await shop.settle();
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', here: 16, signOff: { isReopened: true } });
});

test('a day that was signed before the earlier interface counted stays signed until its verdict changes', async () => {
  const dataDir = temporaryFolder();
  const shop = await openReconciling(await openUpstream(), { dataDir });
  await shop.sell(salesOf(5, MORNING));
  const upstream = await openUpstream('earlier: accept x3, 422; accept');
  await shop.setEarlierUpstream(upstream.url);
  await shop.sellEarlier(salesOf(3, MORNING, 60, 'E'));
  await shop.settle();
  const { signedFor } = await dayOf(shop);
  const sign = { journal: shop.journalId, date: DAY, kind: 'sign off', signedFor, name: 'Ann', note: '' } as const;
  expect(await shop.days.sign(sign, 'ann')).toBe('done');
  const db = openDatabase(databasePath(dataDir), 'write');
  db.exec('UPDATE sign_offs SET earlier = NULL');
  db.close();
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', signOff: { isReopened: false } });
  await shop.sellEarlier({ late: `${DAY}T20:00:00Z` });
  await shop.settle();
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'differs', signOff: { isReopened: true } });
});
