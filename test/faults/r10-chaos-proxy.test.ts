// Every record is forwarded once a spoiled connection is sound again, and takes effect once. Each lane has its own proxy, which
// spoils its connections in another way.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { CHAOS_MODES, openChaosProxy } from '../support/chaos-proxy.ts';
import { bodyOf, postBody } from '../support/http-call.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { openStandIn } from '../support/upstream/stand-in.ts';
import { countOf, repeatOf, report } from './tier.ts';

/** Records of each lane. */
const RECORDS = countOf({ commit: 40, nightly: 4000 });
/** How long the connections are spoiled, while the records arrive. */
const SPOILED_MS = 1500;
/** Maximum time until all records are forwarded, beyond the last back-off. */
const MAX_WAIT_MS = 60_000;

test('each record is forwarded and takes effect once after its connection was spoiled in any way', async (context) => {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const lanes = await Promise.all(
    CHAOS_MODES.map(async (mode) => {
      const upstream = await openStandIn({ keepBodies: false });
      onTestFinished(() => upstream.close());
      const proxy = await openChaosProxy(upstream.port);
      const { secret } = await gateway.makeKey({ administration: `Shop ${mode}`, mode: 'test' });
      await gateway.store.outbox.performAct(
        { administration: `Shop ${mode}`, mode: 'test', interface: 'current' },
        { kind: 'set upstream', upstream: { url: proxy.url, token: 'test_upstream' } },
        'test',
      );
      return { mode, upstream, proxy, secret };
    }),
  );
  const startedAt = performance.now();
  await Promise.all(
    lanes.map(async ({ mode, proxy, secret }) => {
      for (let i = 0; i < RECORDS; i++) {
        if (i === Math.floor(RECORDS / 4)) await proxy.setMode(mode);
        expect((await postBody(gateway.apiUrl, secret, bodyOf({ external_id: `${mode} ${i}` }))).status).toBe(201);
      }
      await delay(SPOILED_MS);
      await proxy.setMode('pass');
    }),
  );
  // A back-off is at most as long as the outage before it.
  const limitMs = MAX_WAIT_MS + 2 * (performance.now() - startedAt);
  for (const { mode, upstream, proxy } of lanes) {
    await Promise.race([
      upstream.waitUntil(({ records }) => records === RECORDS),
      delay(limitMs, undefined, { ref: false }),
    ]);
    const { NEW, ERROR } = upstream.summary().statuses;
    expect({ mode, NEW, ERROR }, repeatOf('R10', RECORDS)).toEqual({ mode, NEW: RECORDS, ERROR: 0 });
    expect(mode === 'pass' || mode === 'refuse' || proxy.spoiled() > 0, mode).toBe(true);
  }
  report(context, `${CHAOS_MODES.length} modes, ${CHAOS_MODES.length * RECORDS} records: each in effect once`);
});
