// A disk with 50 syncs per second delays neither the health check nor any till beyond its own commits.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { buildLibrary, HAS_RECORDER } from '../support/disk/recorded-shop.ts';
import { openSite } from '../support/gateway-process.ts';
import { call } from '../support/http-call.ts';
import { replaySales } from '../support/till/replay.ts';
import { countOf, JUDGES_TIME, repeatOf, report } from './tier.ts';

const SALES = countOf({ commit: 2000, nightly: 50_000 });
const TILLS = 100;
/** Sales per second of all tills. Without a limit, this process would be busy and would delay its own health checks. */
const RATE = 500;
const SYNC_MS = 20;
const POLL_MS = 5;

test('a slow disk delays no health check, and 100 tills are all served', async (context) => {
  if (!HAS_RECORDER) return context.skip('needs Linux and a C compiler');
  const variables = { LD_PRELOAD: buildLibrary('slow.c'), SLOW_SYNC_MS: String(SYNC_MS) };
  const site = await openSite(undefined, variables);
  onTestFinished(() => site.close());
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const sales = Array.from({ length: SALES }, (_, i) =>
    Buffer.from(
      JSON.stringify({ type: 'sale', external_id: `T-${i}`, timestamp: '2026-11-20T10:00:00Z', object: { i } }),
    ),
  );
  let isOver = false;
  const replay = replaySales({ url: gateway.url, keys: [key], sales, tills: TILLS, rate: RATE }).finally(
    () => (isOver = true),
  );
  const waits: number[] = [];
  while (!isOver) {
    const askedAt = performance.now();
    expect((await call(`${gateway.url}/healthz`)).status).toBe(200);
    waits.push(performance.now() - askedAt);
    await delay(POLL_MS);
  }
  expect(await replay).toMatchObject({ ok: true, complete: true, sales: SALES, faults: [], retries: {} });
  const p99 = waits.toSorted((a, b) => a - b)[Math.floor(0.99 * waits.length)] ?? Infinity;
  if (JUDGES_TIME) expect(p99, repeatOf('R16', SALES)).toBeLessThan(50);
  report(context, `${SALES} sales of ${TILLS} tills, p99 of /healthz ${p99.toFixed(1)} ms`);
});
