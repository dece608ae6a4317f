// Forwards the sales of half a year while the upstream fails in every way. Then compares the records at the upstream with the
// sales of the tills.

import { test } from 'vitest';

import { replaySales } from '../../support/till/replay.ts';
import { expectInEffect, laneOf, openStore } from '../lane.ts';
import { loadBakerySales } from '../test-site.ts';

test('the bakery’s half year through an upstream in chaos ends with exactly its sales upstream, and status confirms it', async ({
  expect,
  onTestFinished,
}) => {
  const chaos = `1%: close taken; 1%: 500; 0.5%: reset; 0.5%: cut; 0.5%: garbage; 1%: slow 100ms; 0.2%: dribble;
       accept x1200, down for 500ms, accept x1200, 503 for 300ms, accept x1200, 429 retry-after 1s x4, accept x1200,
       down for 500ms, accept`;
  const { site, key, upstream } = await openStore(onTestFinished, chaos);
  let gateway = await site.startGateway();
  const sales = await loadBakerySales();
  const replay = replaySales({
    url: gateway.url,
    keys: [key],
    sales: sales.map(({ body }) => body),
    tills: 8,
    duplicates: 3,
    changed: 1,
  });
  await upstream.waitUntil(({ records }) => records >= 3000);
  gateway.kill('SIGKILL');
  await gateway.exited;
  gateway = await site.startGateway(gateway.port);
  const summary = await replay;
  expect(summary).toMatchObject({ ok: true, complete: true, sales: 9531, faults: [] });

  await upstream.waitUntil(({ records }) => records === 9531);
  await expect
    .poll(() => laneOf(site))
    .toMatchObject({
      state: 'running',
      cause: null,
      waiting: 0,
      held: 0,
      delivered: 9531,
    });
  expectInEffect(upstream, new Map(sales.map(({ externalId, body }) => [externalId, body.toString()])));
  const { statuses, behaviours } = upstream.summary();
  expect(statuses).toMatchObject({ NEW: 9531, ERROR: 0 });
  for (const behaviour of ['close taken', '500', 'reset', 'cut', 'garbage', '503'])
    expect(behaviours[behaviour], behaviour).toBeGreaterThan(0);
  expect(await site.runJson('check')).toMatchObject({ ok: true });
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
});
