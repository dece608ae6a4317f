// Equal counts do not make a day complete if another fact contradicts them.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { flipRecord } from '../../support/damage.ts';
import { postBody } from '../../support/http-call.ts';
import { openReconciling, openUpstream, type Reconciling, salesOf } from '../../support/reconciling.ts';
import { arrivalOf, temporaryFolder } from '../../support/temp-store.ts';

const DAY = '2025-10-09';
const HOUR = 3_600_000;
const MORNING = `${DAY}T07:00:00Z`;
const LANE = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;

/**
 * Opens a shop whose day is over and whose records are visible upstream. Another system has sent `foreign` sales to the same
 * upstream.
 */
async function openShop(script: string, foreign = 1) {
  const upstream = await openUpstream(script);
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(22, MORNING));
  for (let i = 0; i < foreign; i++) {
    const sale = { type: 'sale', external_id: `foreign ${i}`, timestamp: `${DAY}T12:00:00Z`, object: {} };
    await postBody(upstream.url, 'test_upstream', JSON.stringify(sale));
  }
  shop.clock.skip(5 * HOUR);
  return { upstream, shop };
}

/** Opens an upstream with the given faults. It lists each id once. */
async function openOdd({
  postStatus = () => 'NEW',
  lost,
  countedTwice,
  echo,
}: {
  readonly postStatus?: (id: string) => string;
  readonly lost?: string;
  /**
   * The upstream accepts the first call with this id but answers 500. So the gateway sends the record again, and the upstream
   * counts it twice.
   */
  readonly countedTwice?: string;
  /** The beginning of the range as the upstream's answer repeats it. */
  readonly echo?: string;
}) {
  const calls: { readonly external_id: string; readonly timestamp: string }[] = [];
  const server = createServer((req, res) => {
    void (async () => {
      res.setHeader('content-type', 'application/json');
      if (req.method === 'POST') {
        const sale = (await json(req)) as (typeof calls)[number];
        const isFirst = !calls.some(({ external_id: id }) => id === sale.external_id);
        if (sale.external_id !== lost) calls.push(sale);
        const status = sale.external_id === countedTwice && isFirst ? 500 : 200;
        return void res.writeHead(status).end(JSON.stringify({ status: postStatus(sale.external_id) }));
      }
      const parameters = new URL(req.url ?? '', 'http://upstream').searchParams;
      const [from = '', to = ''] = ['timestamp_gte', 'timestamp_lt'].map((name) => parameters.get(name) ?? '');
      const found = calls.filter(({ timestamp }) => timestamp >= from && timestamp < to);
      const listed = [...new Map(found.map((each) => [each.external_id, each])).values()];
      const more = parameters.get('expand') === 'raw_transactions' ? { raw_transactions: listed } : {};
      const range = { timestamp_gte: echo ?? from, timestamp_lt: to };
      res
        .writeHead(200)
        .end(JSON.stringify({ ...range, raw_transaction_count: found.length, next_cursor: null, ...more }));
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function judged(shop: Reconciling): Promise<{ verdict: string; codes: string[] }> {
  const { verdict, reasons } = (await shop.day(DAY)).day;
  return { verdict, codes: reasons.map(({ code }) => code) };
}

test('a held sale is not balanced by a foreign one', async () => {
  const { shop } = await openShop('id=S-3: 422; accept');
  await shop.check(DAY, DAY, { actor: 'gateway' });
  expect(await judged(shop)).toEqual({ verdict: 'differs', codes: ['held', 'missing_here'] });
});

test('a sale set aside after the day was complete by counts makes the day differ', async () => {
  const { shop } = await openShop('id=S-3: 422; accept');
  await shop.check(DAY, DAY, { actor: 'gateway' });
  await shop.store.outbox.performAct(LANE, { kind: 'set aside', records: { kind: 'held' }, reason: 'test' }, 'Ann');
  await shop.check(DAY, DAY, { actor: 'gateway' });
  expect(await judged(shop)).toEqual({ verdict: 'differs', codes: ['set_aside', 'missing_here'] });
});

test('a sale that the upstream reported with other content is checked by id', async () => {
  const shop = await openReconciling(await openOdd({ postStatus: (id) => (id === 'S-3' ? 'ERROR' : 'NEW') }));
  await shop.sell(salesOf(22, MORNING));
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY, DAY, { actor: 'gateway' });
  expect(await judged(shop)).toEqual({ verdict: 'differs', codes: ['other_upstream'] });
});

test('a sale that the upstream lost is not hidden by one counted twice', async () => {
  const upstream = await openOdd({ lost: 'S-3', countedTwice: 'S-5' });
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(22, MORNING));
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY, DAY, { actor: 'gateway' });
  expect(await judged(shop)).toMatchObject({ codes: expect.arrayContaining(['sent_again']) as unknown });
});

test('a day complete by counts is checked again once others send too', async () => {
  const { shop } = await openShop('id=S-3: accept untaken; accept');
  await shop.check(DAY, DAY, { actor: 'gateway' });
  expect(await judged(shop)).toMatchObject({ verdict: 'complete' });
  await shop.store.setup.changeAdministration('Bakery', { othersSend: true }, 'Ann');
  expect(await judged(shop)).toEqual({ verdict: 'waiting', codes: ['to_be_checked'] });
});

test('an answer about another range is ignored', async () => {
  const shop = await openReconciling(await openOdd({ echo: '2025-10-08T00:00:00' }));
  await shop.sell(salesOf(22, MORNING));
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY, DAY, { actor: 'gateway' });
  expect(await judged(shop)).toEqual({ verdict: 'cannot tell', codes: ['upstream_unreadable'] });
});

test('forwarded duplicates explain a count above the number of listed records', async () => {
  const upstream = await openUpstream();
  const shop = await openReconciling(upstream);
  await shop.store.setup.changeAdministration('Bakery', { forwarded: ['NEW', 'IGNORED', 'ERROR'] }, 'Ann');
  await shop.sell(salesOf(22, MORNING));
  const again = arrivalOf(shop.key, { externalId: 'S-3', soldAt: Date.parse(`${DAY}T07:02:00Z`) / 1000 });
  await shop.store.records.append({ ...again, receivedAt: Date.now() });
  await shop.settle();
  const day = {
    journalId: shop.journalId,
    from: Date.parse(`${DAY}T00:00:00Z`) / 1000,
    to: Date.parse(`${DAY}T23:00:00Z`) / 1000,
  };
  expect(await shop.store.days.sumAnswers(day)).toEqual({ resends: 1, errors: 0 });
});

test('while the clock is behind the last answer nothing is resent automatically', async () => {
  const { upstream, shop } = await openShop('id=S-3: accept untaken; accept', 0);
  const posts = (): number => upstream.attempts.filter(({ method }) => method === 'POST').length;
  const before = posts();
  shop.clock.skip(-365 * 24 * HOUR);
  await shop.check(DAY);
  expect(posts()).toBe(before);
});

test('a day with a damaged sale is not complete until the sale is repaired', async () => {
  const dataDir = temporaryFolder();
  const shop = await openReconciling(await openUpstream(), { dataDir });
  await shop.sell(salesOf(22, MORNING));
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY, DAY, { actor: 'gateway' });
  expect(await judged(shop)).toEqual({ verdict: 'complete', codes: [] });
  flipRecord(dataDir, 7);
  await shop.store.health.scrubSlice();
  expect(await judged(shop)).toEqual({ verdict: 'cannot tell', codes: ['damaged_here'] });
  await shop.check(DAY, DAY, { actor: 'Ann', byIds: true });
  expect(await judged(shop)).toEqual({ verdict: 'cannot tell', codes: ['damaged_here'] });
  flipRecord(dataDir, 7);
  await shop.store.health.scrubSlice();
  expect(await judged(shop)).toEqual({ verdict: 'complete', codes: [] });
});
