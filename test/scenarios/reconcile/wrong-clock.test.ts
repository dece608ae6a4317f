// While the machine's clock is years ahead, the gateway stores wrong times. They are ignored once the clock is right again.

import { expect, test } from 'vitest';

import { openReconciling, openUpstream, salesOf, signAsItIs } from '../../support/reconciling.ts';

const DAY = '2025-10-09';
const MORNING = `${DAY}T07:00:00Z`;
const HOUR = 3_600_000;
const YEARS = 10 * 365 * 24 * HOUR;

async function openShop(script = 'accept') {
  const shop = await openReconciling(await openUpstream(script));
  const { clock } = shop;
  return {
    ...shop,
    async whileAhead<T>(work: () => Promise<T>): Promise<T> {
      clock.skip(YEARS);
      const result = await work();
      clock.skip(-YEARS);
      return result;
    },
  };
}

test('records delivered while the clock was ahead are compared like any others', async () => {
  const { sell, check, day, clock, whileAhead } = await openShop('id=S-7: accept untaken; accept');
  await whileAhead(() => sell(salesOf(20, MORNING)));
  for (let n = 1; n <= 2; n++) {
    clock.skip(5 * HOUR);
    await check(DAY, DAY, { actor: 'gateway' });
  }
  expect((await day(DAY)).day).toMatchObject({ verdict: 'differs', reasons: [{ code: 'missing_upstream', count: 1 }] });
});

test('records delivered while the clock was ahead do not keep a day provisional', async () => {
  const { sell, check, day, whileAhead } = await openShop();
  await whileAhead(() => sell(salesOf(20, MORNING)));
  await check(DAY);
  expect((await day(DAY)).day).toMatchObject({ verdict: 'complete', isProvisional: false });
});

test('a verdict stored while the clock was ahead is not in force, and the next one is', async () => {
  const { sell, check, day, clock, whileAhead } = await openShop('id=late: accept untaken; accept');
  await sell(salesOf(2, MORNING));
  await whileAhead(() => check(DAY));
  clock.skip(5 * HOUR);
  expect((await day(DAY)).day).toMatchObject({ verdict: 'waiting', reasons: [{ code: 'to_be_checked' }] });
  await check(DAY);
  expect((await day(DAY)).day).toMatchObject({ verdict: 'complete', isProvisional: false });
  await sell({ late: `${DAY}T09:00:00Z` });
  await check(DAY);
  expect((await day(DAY)).day).toMatchObject({
    verdict: 'waiting',
    reasons: [{ code: 'not_seen_yet', count: 1 }],
    upstream: 2,
  });
});

test('days that were closed in the future do not stop a change of the zone', async () => {
  const { sell, check, day, days, journalId, store, clock, whileAhead } = await openShop();
  await sell(salesOf(2, MORNING));
  await whileAhead(async () => {
    const date = new Date(clock.now() - 48 * HOUR).toISOString().slice(0, 10);
    await check(date);
    expect((await day(date)).day).toMatchObject({ verdict: 'complete', isProvisional: false });
    expect(await signAsItIs(days, journalId, date)).toBe('done');
  });
  await store.setup.changeAdministration('Bakery', { timeZone: 'Asia/Tokyo' }, 'test');
  expect((await day('2027-10-10')).day.from).toBe(Date.parse('2027-10-09T15:00:00Z') / 1000);
});
