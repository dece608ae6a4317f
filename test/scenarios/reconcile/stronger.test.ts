// A check by counts is weaker than a check by ids. It never replaces the result of a check by ids, unless a sale has arrived
// since then.

import { expect, test } from 'vitest';

import { postBody } from '../../support/http-call.ts';
import { openReconciling, openUpstream, salesOf } from '../../support/reconciling.ts';

const DAY = '2025-10-09';
const HOUR = 3_600_000;
const MORNING = `${DAY}T07:00:00Z`;

/** Sends a sale of another system to the same account of the upstream. */
async function sellElsewhere({ url }: { readonly url: string }, id: string): Promise<void> {
  const sale = { type: 'sale', external_id: id, timestamp: `${DAY}T12:00:00Z`, object: {} };
  await postBody(url, 'test_upstream', JSON.stringify(sale));
}

/**
 * A shop with 20 sales. The upstream has lost one of them and has a foreign sale instead. Two checks by ids have shown this.
 */
async function openSwapped() {
  const upstream = await openUpstream('id=S-7: accept untaken; accept');
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(20, MORNING));
  await sellElsewhere(upstream, 'foreign');
  for (let n = 1; n <= 2; n++) {
    shop.clock.skip(5 * HOUR);
    await shop.check(DAY, DAY, { byIds: true, actor: 'gateway' });
  }
  return shop;
}

test('a day whose ids were compared keeps that result after a check by counts, until a sale arrives', async () => {
  const upstream = await openUpstream();
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(20, MORNING));
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY, DAY, { byIds: true });
  const { passedAt } = (await shop.day(DAY)).day;
  shop.clock.skip(HOUR);
  await shop.check(DAY);
  const { day } = await shop.day(DAY);
  expect(day).toMatchObject({ verdict: 'complete', isProvisional: false, basis: 'ids', passedAt });
  expect(day.checkedAt).toBeGreaterThan(passedAt ?? Infinity);

  await shop.sell({ late: `${DAY}T20:00:00Z` });
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete', basis: 'counts', passedAt });
});

test('a difference that only ids show is not hidden by equal counts', async () => {
  const shop = await openSwapped();
  const codes = ['missing_upstream', 'missing_here'];
  const codesNow = async () => (await shop.day(DAY)).day.reasons.map(({ code }) => code);
  expect(await codesNow()).toEqual(codes);
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY, DAY, { actor: 'gateway' });
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'differs', basis: 'ids' });
  expect(await codesNow()).toEqual(codes);
});

test('equal counts do not hide a difference that ids showed before all records were visible', async () => {
  const upstream = await openUpstream('record: accept untaken; accept');
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(2, MORNING));
  await upstream.setScript('accept');
  for (const id of ['foreign 1', 'foreign 2']) await sellElsewhere(upstream, id);
  await shop.check(DAY, DAY, { byIds: true });
  const { day } = await shop.day(DAY);
  expect(day).toMatchObject({ verdict: 'differs', isProvisional: true, basis: 'ids', here: 2, upstream: 2 });
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'differs', basis: 'ids', reasons: day.reasons });
});

test('a difference found by ids is checked by ids again after the next sale', async () => {
  const shop = await openSwapped();
  await shop.sell({ late: `${DAY}T20:00:00Z` });
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY, DAY, { actor: 'gateway' });
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'differs', basis: 'ids', here: 21, upstream: 21 });
});

test('a check by counts that finds a difference replaces a check that found every id', async () => {
  const upstream = await openUpstream();
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(20, MORNING));
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY, DAY, { byIds: true });
  await sellElsewhere(upstream, 'foreign');
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'differs',
    basis: 'counts',
    reasons: [{ code: 'missing_here', count: 1 }],
  });
});
