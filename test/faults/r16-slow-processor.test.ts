// A gateway that has a tenth of one processor delays no health check, and serves all tills.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { openTestSite } from '../e2e/test-site.ts';
import { call } from '../support/http-call.ts';
import { limitProcessor } from '../support/slow-processor.ts';
import { replaySales } from '../support/till/replay.ts';
import { countOf, JUDGES_TIME, repeatOf, report } from './tier.ts';

const SALES = countOf({ commit: 150, nightly: 20_000 });
const TILLS = 100;
const SHARE = 0.1;
/** Sales per second of all tills: a busy shop sells less. */
const RATE = 40;
const POLL_MS = 50;

test('a tenth of a processor delays no health check, and 100 tills are all served', async (context) => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const release = limitProcessor(gateway.pid, SHARE);
  if (release === undefined) return context.skip('needs root on Linux, and a cgroup for the processor');
  onTestFinished(release);
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
  report(context, `10 % of a processor: ${SALES} sales of ${TILLS} tills, p99 of /healthz ${p99.toFixed(1)} ms`);
});
