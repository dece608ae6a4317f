// Other systems send to the same account of the upstream. Their records are differences, unless a person has set that other
// systems send too. In that case the upstream must have each id of our records.

import { expect, test } from 'vitest';

import { postBody } from '../../support/http-call.ts';
import { openReconciling, openUpstream, type Reconciling, salesOf, signAsItIs } from '../../support/reconciling.ts';

const DAY = '2025-10-09';
const HOUR = 3_600_000;
const MORNING = `${DAY}T07:00:00Z`;

const othersSend = (shop: Reconciling, is = true) =>
  shop.store.setup.changeAdministration('Bakery', { othersSend: is }, 'test');

async function open(script = 'accept', others = 7) {
  const upstream = await openUpstream(script);
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(20, MORNING));
  for (let n = 1; n <= others; n++) {
    const body = { type: 'web', external_id: `W-${n}`, timestamp: `${DAY}T12:00:00Z`, object: {} };
    expect((await postBody(upstream.url, 'test_upstream', JSON.stringify(body))).status).toBe(201);
  }
  shop.clock.skip(5 * HOUR);
  return { upstream, shop };
}

test('by default, a record that only the upstream has is a difference', async () => {
  const { shop } = await open();
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'differs',
    reasons: [{ code: 'missing_here', count: 7 }],
    upstream: 27,
  });
});

test('where others send too, a foreign record is a note, and a day is complete when the upstream has each of our records', async () => {
  const { shop } = await open();
  await othersSend(shop);
  await shop.check(DAY);
  const { day, findings } = await shop.day(DAY);
  expect(day).toMatchObject({
    verdict: 'complete',
    isProvisional: false,
    reasons: [],
    notes: [{ code: 'others_upstream', count: 7 }],
    here: 20,
    upstream: 20,
    basis: 'ids',
  });
  expect(findings).toEqual([]);
});

test('a missing record of ours is found although a foreign one makes the counts equal', async () => {
  const { shop } = await open('id=S-7: accept untaken; accept', 1);
  await othersSend(shop);
  for (let n = 1; n <= 2; n++) {
    await shop.check(DAY, DAY, { actor: 'gateway' });
    shop.clock.skip(5 * HOUR);
  }
  const { day, findings } = await shop.day(DAY);
  expect(day).toMatchObject({ verdict: 'differs', reasons: [{ code: 'missing_upstream', count: 1 }], upstream: 19 });
  expect(findings.map(({ kind, externalId }) => `${kind}: ${externalId}`)).toEqual(['missing upstream: S-7']);
});

test('our record with another time upstream is still a difference', async () => {
  const upstream = await openUpstream();
  const shop = await openReconciling(upstream);
  const body = { type: 'sale', external_id: 'S-5', timestamp: `${DAY}T12:00:00Z`, object: {} };
  await postBody(upstream.url, 'test_upstream', JSON.stringify(body));
  await shop.sell(salesOf(10, MORNING));
  await othersSend(shop);
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'differs',
    reasons: [{ code: 'other_upstream', count: 1 }],
  });
});

test('the setting removes a difference once every id was compared; removing the setting restores it', async () => {
  const { shop } = await open();
  await shop.check(DAY);
  await othersSend(shop);
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'waiting', reasons: [{ code: 'to_be_checked' }] });
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'complete' });
  await othersSend(shop, false);
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'waiting', reasons: [{ code: 'to_be_checked' }] });
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'differs',
    reasons: [{ code: 'missing_here', count: 7 }],
  });
});

test('with the setting, a day complete by counts is checked by ids, and its signature stays valid', async () => {
  const { shop } = await open('accept', 0);
  await shop.check(DAY);
  expect(await signAsItIs(shop.days, shop.journalId, DAY)).toBe('done');
  await othersSend(shop);
  expect((await shop.day(DAY)).day).toMatchObject({ verdict: 'waiting', signOff: { isReopened: true } });
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'complete',
    basis: 'ids',
    signOff: { isReopened: false },
  });
});
