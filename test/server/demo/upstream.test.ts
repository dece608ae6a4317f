// The demo's upstream over HTTP. Its outages happen in virtual time.

import { once } from 'node:events';
import { createServer } from 'node:http';

import { expect, onTestFinished, test } from 'vitest';

import { type DemoUpstreamOptions, openDemoUpstream, readOutages } from '../../../server/demo/upstream.ts';
import { UsageError } from '../../../server/errors.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

const TOKEN = 'test_demo';
const TIMES = { upMs: 20_000, downMs: 10_000 };

async function open(options: Partial<DemoUpstreamOptions> = {}) {
  const upstream = await openDemoUpstream({ token: TOKEN, ...options });
  onTestFinished(() => upstream.close());
  const address = `${upstream.url}/v1/raw_transactions`;
  return {
    url: upstream.url,
    send: (body: unknown, token = TOKEN) =>
      fetch(address, { method: 'POST', headers: { token }, body: JSON.stringify(body) }),
    async query(more: string) {
      const range = 'timestamp_gte=2026-11-01T00:00:00&timestamp_lt=2026-11-30T00:00:00';
      const answer = await fetch(`${address}?${range}&${more}`, { headers: { token: TOKEN } });
      return (await answer.json()) as Record<string, unknown>;
    },
  };
}

const saleOf = (id: string, object: object = { total: 5, till: 'T1' }) => ({
  type: 'sale',
  external_id: id,
  timestamp: '2026-11-20T10:00:00Z',
  object,
});

test('a new id is NEW, the same content is IGNORED, and other content is ERROR', async () => {
  const { send } = await open();
  const answers = [
    saleOf('A'),
    saleOf('A', { till: 'T1', total: 5 }),
    saleOf('A', { total: 6, till: 'T1' }),
    saleOf('B'),
  ];
  const seen: unknown[] = [];
  for (const sale of answers) {
    const answer = await send(sale);
    const { status, original_record_id: original } = (await answer.json()) as Record<string, unknown>;
    seen.push([answer.status, status, original]);
  }
  expect(seen).toEqual([
    [201, 'NEW', undefined],
    [200, 'IGNORED', 1],
    [200, 'ERROR', 1],
    [201, 'NEW', undefined],
  ]);
});

test('another key, and a body that is not a record, are refused', async () => {
  const { send, query } = await open();
  expect((await send(saleOf('A'), 'test_other')).status).toBe(401);
  for (const body of ['text', {}, { ...saleOf('A'), timestamp: 'today' }, { ...saleOf('A'), object: 1 }])
    expect((await send(body)).status).toBe(400);
  expect(await query('')).toMatchObject({ raw_transaction_count: 0 });
});

test('a query counts each id once, and its pages list them all', async () => {
  const { send, query } = await open();
  for (const id of ['A', 'B', 'C', 'A']) await send(saleOf(id));
  expect(await query('')).toMatchObject({ raw_transaction_count: 3, next_cursor: null });
  const first = await query('expand=raw_transactions&limit=2');
  expect(first).toMatchObject({
    raw_transaction_count: 3,
    raw_transactions: [{ external_id: 'A' }, { external_id: 'B' }],
  });
  expect(await query(`expand=raw_transactions&limit=2&cursor=${String(first['next_cursor'])}`)).toMatchObject({
    raw_transactions: [{ external_id: 'C', type: 'sale', timestamp: '2026-11-20T10:00:00' }],
    next_cursor: null,
  });
});

test.each(['', '1', 'A.1', '1.2.3'])('a query with the malformed cursor "%s" is refused', async (cursor) => {
  const { query } = await open();
  expect(await query(`expand=raw_transactions&cursor=${cursor}`)).toMatchObject({ status: 400 });
});

test('it stops listening and listens again, and still knows its records', async () => {
  const clock = startVirtualTime();
  const { send } = await open({ clock, outages: TIMES });
  expect((await send(saleOf('A'))).status).toBe(201);
  for (let i = 0; i < 2; i++) {
    clock.jump(TIMES.upMs);
    await expect(send(saleOf('B'))).rejects.toThrow('fetch failed');
    clock.jump(TIMES.downMs);
    await clock.waitForTimers(1); // the upstream sets its timer once it listens
    expect((await send(saleOf('A'))).status).toBe(200);
  }
});

test('it listens again once when its port was taken for a while', async () => {
  const clock = startVirtualTime();
  const { url, send } = await open({ clock, outages: TIMES });
  clock.jump(TIMES.upMs);
  const other = createServer().listen(Number(new URL(url).port), '127.0.0.1');
  await once(other, 'listening');
  clock.jump(TIMES.downMs);
  for (let i = 0; i < 3; i++) {
    await clock.waitForTimers(1);
    clock.jump(100);
  }
  await clock.waitForTimers(1);
  await new Promise((resolve) => void other.close(resolve));
  clock.jump(100);
  await clock.waitForTimers(1);
  expect((await send(saleOf('A'))).status).toBe(201);
  expect(clock.countTimers()).toBe(1);
});

test.each([
  ['accept', undefined],
  ['accept for 6s, down for 2s, repeat', { upMs: 6000, downMs: 2000 }],
])('--demo may be "%s"', (text, outages) => {
  expect(readOutages(text)).toEqual(outages);
});

test.each(['', 'hnag', 'down for 2s', 'accept for 0s, down for 2s, repeat', '500 x3, accept'])(
  '--demo "%s" is refused, and the message says which values are valid',
  (text) => {
    expect(() => readOutages(text)).toThrow(UsageError);
    expect(() => readOutages(text)).toThrow('but must be "accept", or "accept for 20s, down for 10s, repeat"');
  },
);
