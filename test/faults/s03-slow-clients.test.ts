// The gateway disconnects thousands of slow and idle clients at one address. At the same time it serves a till at another
// address.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { openTestSite } from '../e2e/test-site.ts';
import { openRawConnection, type RawConnection } from '../support/raw-call.ts';
import { JUDGES_TIME, report } from './tier.ts';

const HEADERS = 'POST /v1/raw_transactions HTTP/1.1\r\nHost: a\r\n';
/** The pause between two bytes of a slow client. */
const PACE_MS = 1000;
const SALES = 500;

test('9,000 slow and idle clients delay no till, and the slow ones are disconnected', async (context) => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const clients: RawConnection[] = [];
  onTestFinished(() => {
    for (const client of clients) client.destroy();
  });
  const open = async (count: number, start: string): Promise<RawConnection[]> => {
    const opened: RawConnection[] = [];
    for (let i = 0; i < count; i++) {
      const client = await openRawConnection(gateway.url, '127.0.0.2');
      clients.push(client);
      opened.push(client);
      client.send(start);
    }
    return opened;
  };

  await open(5000, '');
  const slow = [
    ...(await open(2000, HEADERS)),
    ...(await open(2000, `${HEADERS}token: ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`)),
  ];
  const startedAt = performance.now();
  const drip = setInterval(() => {
    for (const client of slow) client.send('a');
  }, PACE_MS);
  onTestFinished(() => clearInterval(drip));

  const till = await openRawConnection(gateway.url);
  onTestFinished(() => till.destroy());
  const waits: number[] = [];
  for (let sale = 0; sale < SALES; sale++) {
    const body = JSON.stringify({
      type: 'sale',
      external_id: `S-${sale}`,
      timestamp: '2026-01-05T10:00:00Z',
      object: {},
    });
    const sentAt = performance.now();
    till.send(
      `${HEADERS}token: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect((await till.next())?.status).toBe(201);
    waits.push(performance.now() - sentAt);
    await delay(10);
  }
  await Promise.all(slow.map(({ closed }) => closed));
  const endedAfter = ((performance.now() - startedAt) / 1000).toFixed(1);
  const p99 = waits.toSorted((a, b) => a - b)[Math.floor(0.99 * SALES)]?.toFixed(1);
  if (JUDGES_TIME) {
    expect(Number(p99)).toBeLessThan(20);
    expect(Number(endedAfter)).toBeLessThan(12);
  }
  report(context, `the last slow client was disconnected after ${endedAfter} s; p99 of the till ${p99} ms`);
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
});
