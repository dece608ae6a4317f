// An upstream that counts calls instead of ids. A sale that was sent twice is not a difference, and its second call does not
// hide a missing sale.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { openReconciling, type Reconciling, salesOf } from '../../support/reconciling.ts';

const DAY = '2025-10-09';
const HOUR = 3_600_000;
const MORNING = `${DAY}T07:00:00Z`;
const LANE = { administration: 'Bakery', mode: 'test', interface: 'current' } as const;

interface Call {
  readonly external_id: string;
  readonly type: string;
  readonly timestamp: string;
}

/** Opens an upstream that counts every accepted call. Its lists show each call, or each id once. */
async function openCounting({ lists, loses = [] }: { lists: 'calls' | 'ids'; loses?: readonly string[] }) {
  const calls: Call[] = [];
  const server = createServer((req, res) => {
    void (async () => {
      res.setHeader('content-type', 'application/json');
      if (req.method === 'POST') {
        const { external_id, type, timestamp } = (await json(req)) as Call;
        if (!loses.includes(external_id)) calls.push({ external_id, type, timestamp });
        return void res.writeHead(200).end('{}');
      }
      const parameters = new URL(req.url ?? '', 'http://upstream').searchParams;
      const [from = '', to = ''] = ['timestamp_gte', 'timestamp_lt'].map((name) => parameters.get(name) ?? '');
      const found = calls.filter(({ timestamp }) => timestamp >= from && timestamp < to);
      const listed = lists === 'calls' ? found : [...new Map(found.map((each) => [each.external_id, each])).values()];
      const isList = parameters.get('expand') === 'raw_transactions';
      const more = isList ? { raw_transactions: listed } : {};
      res.writeHead(200).end(JSON.stringify({ raw_transaction_count: found.length, next_cursor: null, ...more }));
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

/** Sends some sales of a shop again. */
async function sendAgain(shop: Reconciling, ...ids: readonly string[]): Promise<void> {
  const originals = await shop.store.days.findOriginals(shop.journalId, ids);
  const records = { kind: 'some', recordIds: originals.map(({ recordId }) => recordId) } as const;
  await shop.store.outbox.performAct(LANE, { kind: 'send again', records, delivered: true }, 'Ann');
  await shop.settle();
}

test.each(['calls', 'ids'] as const)(
  'a sale that was sent twice and counts twice upstream is a note and no difference, if the upstream lists %s',
  async (lists) => {
    const upstream = await openCounting({ lists });
    const shop = await openReconciling(upstream);
    await shop.sell(salesOf(20, MORNING));
    await sendAgain(shop, 'S-3', 'S-9');
    expect(upstream.calls).toHaveLength(22);
    for (const byIds of [false, true]) {
      shop.clock.skip(5 * HOUR);
      await shop.check(DAY, DAY, { byIds });
      expect((await shop.day(DAY)).day).toMatchObject({
        verdict: 'complete',
        isProvisional: false,
        reasons: [],
        notes: [{ code: lists === 'calls' ? 'listed_twice' : 'counted_twice', count: 2 }],
        here: 20,
        upstream: 20,
        basis: 'ids',
      });
    }
    expect(upstream.calls).toHaveLength(22);
  },
);

test('a sale that is counted twice does not hide a missing one', async () => {
  const upstream = await openCounting({ lists: 'calls', loses: ['S-1001'] });
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(1200, MORNING, 10));
  await sendAgain(shop, 'S-3', 'S-9');
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY, DAY, { actor: 'gateway' });
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY, DAY, { actor: 'gateway' });
  const { day, findings } = await shop.day(DAY);
  expect(day).toMatchObject({ verdict: 'differs', reasons: [{ code: 'missing_upstream', count: 1 }] });
  expect(findings.map(({ kind, externalId }) => `${kind}: ${externalId}`)).toEqual(['missing upstream: S-1001']);
});

test('an id that is listed twice with a different type or time is a difference', async () => {
  const upstream = await openCounting({ lists: 'calls' });
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(5, MORNING));
  upstream.calls.push({ external_id: 'S-2', type: 'refund', timestamp: `${DAY}T07:01:00Z` });
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY);
  const { day } = await shop.day(DAY);
  expect(day.verdict).toBe('differs');
  expect(day.reasons.map(({ code }) => code)).toContain('twice_upstream');
});

test('a list without a counted sale proves nothing, however often others were sent', async () => {
  const upstream = await openCounting({ lists: 'ids' });
  const shop = await openReconciling(upstream);
  await shop.sell(salesOf(5, MORNING));
  await sendAgain(shop, 'S-1');
  for (let n = 0; n < 2; n++) upstream.calls.push({ external_id: 'S-2', type: 'sale', timestamp: `${DAY}T07:01:00Z` });
  shop.clock.skip(5 * HOUR);
  await shop.check(DAY);
  expect((await shop.day(DAY)).day).toMatchObject({
    verdict: 'cannot tell',
    reasons: [{ code: 'upstream_unreadable', cause: { code: 'numbers_disagree', detail: '8 ≠ 5' } }],
  });
});
