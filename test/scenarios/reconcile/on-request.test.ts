// A requested check while sent records are not yet visible upstream. A record that is not visible yet is not a difference. The
// check sends nothing again unless the request says so.

import { expect, test } from 'vitest';

import { openReconciling, openUpstream, salesOf, startHastyClock } from '../../support/reconciling.ts';
import type { StandIn } from '../../support/upstream/stand-in.ts';

const DAY = '2025-10-09';
const HOUR = 3_600_000;
const DAY_MS = 24 * HOUR;
const MORNING = `${DAY}T07:00:00Z`;

const countPosts = ({ attempts }: StandIn): number => attempts.filter(({ method }) => method === 'POST').length;

/** Opens a shop whose upstream shows a sale four hours after it has accepted it. Real upstreams may need as long. */
async function openSlowShop(script = 'accept') {
  const clock = startHastyClock();
  const upstream = await openUpstream(script, { visibleAfterMs: 4 * HOUR, clock });
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(30, MORNING));
  const skip = (ms: number): void => {
    clock.skip(ms);
    shop.clock.skip(ms);
  };
  return { upstream, shop, skip };
}

test('within the four hours a requested check resends nothing: the day is waiting, provisionally', async () => {
  const { upstream, shop, skip } = await openSlowShop();
  await shop.check(DAY);
  const { day } = await shop.day(DAY);
  expect(day).toMatchObject({ verdict: 'waiting', isProvisional: true, here: 30, upstream: 0 });
  expect(day.reasons).toMatchObject([{ code: 'not_seen_yet', count: 30, until: expect.any(Number) as number }]);
  expect(countPosts(upstream)).toBe(30);
  skip(4 * HOUR + 60_000);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'waiting',
    reasons: [{ code: 'not_seen_yet', count: 30 }, { code: 'to_be_checked' }],
  });
  await shop.check(DAY, DAY, { actor: 'gateway' });
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', isProvisional: false, upstream: 30 });
  expect(countPosts(upstream)).toBe(30);
});

test('on a day that is not over, a requested check resends nothing and says not_over, not_seen_yet', async () => {
  const clock = startHastyClock();
  const upstream = await openUpstream('accept', { visibleAfterMs: 4 * HOUR, clock });
  const shop = await openReconciling(upstream);
  const noon = Math.ceil(shop.clock.now() / DAY_MS) * DAY_MS + 12 * HOUR; // in Amsterdam this is early afternoon
  const ms = noon - shop.clock.now();
  clock.skip(ms);
  shop.clock.skip(ms);
  const instant = `${new Date(noon).toISOString().slice(0, 19)}Z`;
  const today = instant.slice(0, 10);
  await shop.sell({ a: instant });
  await shop.check(today);
  expect((await shop.day(today)).day).toMatchObject({
    verdict: 'waiting',
    isProvisional: true,
    reasons: [{ code: 'not_over' }, { code: 'not_seen_yet', count: 1 }],
  });
  expect(countPosts(upstream)).toBe(1);
});

test('a check that waited for the upstream does not resend records sent meanwhile', async () => {
  const upstream = await openUpstream();
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(20, MORNING));
  shop.clock.skip(5 * HOUR);
  await upstream.setScript('query: 500; id=late: accept untaken; accept');
  const checked = shop.check(DAY);
  await upstream.waitUntil(({ queries }) => queries > 0);
  await shop.sell({ late: `${DAY}T20:00:00Z` });
  await upstream.setScript('id=late: accept untaken; accept');
  await checked;
  expect(countPosts(upstream)).toBe(21);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'waiting',
    reasons: [{ code: 'not_seen_yet', count: 1, until: expect.any(Number) as number }],
  });
});

test('a requested resend is done at once', async () => {
  const upstream = await openUpstream('id=S-7 attempt=1: accept untaken; accept');
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(20, MORNING));
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'waiting',
    reasons: [{ code: 'not_seen_yet', count: 1 }],
  });
  await shop.check(DAY, DAY, { resend: true });
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', isProvisional: true, upstream: 20 });
  expect(countPosts(upstream)).toBe(21);
});

test('after the four hours a requested check resends missing records automatically', async () => {
  const upstream = await openUpstream('id=S-7 attempt=1: accept untaken; accept');
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(20, MORNING));
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', upstream: 20 });
  expect(countPosts(upstream)).toBe(21);
});

test('records that a requested check could not see yet are resent automatically once if they stay missing', async () => {
  const upstream = await openUpstream('id=S-7: accept untaken; accept');
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(20, MORNING));
  await shop.check(DAY);
  for (let n = 1; n <= 3; n++) {
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY, DAY, { actor: 'gateway' });
  }
  expect(countPosts(upstream)).toBe(21);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'differs',
    isProvisional: false,
    reasons: [{ code: 'missing_upstream', count: 1 }],
  });
});

test('records that were resent once and are still missing are resent by a requested check only on request', async () => {
  const upstream = await openUpstream('id=S-7 attempt=1-2: accept untaken; accept');
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(20, MORNING));
  for (let n = 1; n <= 3; n++) {
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY);
  }
  expect(countPosts(upstream)).toBe(21);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'differs',
    isProvisional: false,
    reasons: [{ code: 'missing_upstream', count: 1 }],
  });
  await shop.check(DAY, DAY, { resend: true });
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', upstream: 20 });
});

test('a held record is a difference within the four hours, too', async () => {
  const upstream = await openUpstream('id=S-3: 422; accept');
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(10, MORNING));
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'differs',
    isProvisional: true,
    reasons: [{ code: 'held', count: 1 }],
  });
});
