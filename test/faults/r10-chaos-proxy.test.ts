// Every record is forwarded once a spoiled connection is sound again, and takes effect once. Each lane has its own proxy, and
// all lanes are spoiled at the same time, each in another way.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { CHAOS_MODES, openChaosProxy } from '../support/chaos-proxy.ts';
import { bodyOf, postBody } from '../support/http-call.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { openRandom } from '../support/till/random.ts';
import { openStandIn } from '../support/upstream/stand-in.ts';
import { countOf, repeatOf, report, SEED } from './tier.ts';

/** Records of each lane. */
const RECORDS = countOf({ commit: 40, nightly: 4000 });
/** Records of each lane in a round. In each round, its connections are spoiled in another way. */
const RECORDS_OF_ROUND = 40;
const ROUNDS = Math.ceil(RECORDS / RECORDS_OF_ROUND);
/** How long the connections are spoiled after the last record of a round. */
const SPOILED_MS = 1500;
/** Maximum time until all records are forwarded, beyond the last back-off. */
const MAX_WAIT_MS = 60_000;

test('each record is forwarded and takes effect once after its connection was spoiled in any way', async (context) => {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const random = openRandom(SEED);
  const lanes = await Promise.all(
    CHAOS_MODES.map(async (_, number) => {
      const upstream = await openStandIn({ keepBodies: false });
      onTestFinished(() => upstream.close());
      const proxy = await openChaosProxy(upstream.port);
      const { secret } = await gateway.makeKey({ administration: `Shop ${number}`, mode: 'test' });
      await gateway.store.outbox.performAct(
        { administration: `Shop ${number}`, mode: 'test', interface: 'current' },
        { kind: 'set upstream', upstream: { url: proxy.url, token: 'test_upstream' } },
        'test',
      );
      return { number, upstream, proxy, secret };
    }),
  );
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    const expected = (round + 1) * RECORDS_OF_ROUND;
    await Promise.all(
      lanes.map(async ({ number, upstream, proxy, secret }) => {
        const mode = CHAOS_MODES[(number + round) % CHAOS_MODES.length] ?? 'pass';
        const spoiledBefore = proxy.spoiled();
        const spoiledFrom = Math.floor(random() * RECORDS_OF_ROUND);
        for (let i = 0; i < RECORDS_OF_ROUND; i++) {
          if (i === spoiledFrom) await proxy.setMode(mode);
          const body = bodyOf({ external_id: `${number} ${round} ${i}` });
          expect((await postBody(gateway.apiUrl, secret, body)).status).toBe(201);
        }
        await delay(SPOILED_MS);
        await proxy.setMode('pass');
        // A back-off is at most as long as the outage before it.
        const limitMs = MAX_WAIT_MS + 2 * (performance.now() - startedAt);
        const end = new AbortController();
        await Promise.race([
          upstream.waitUntil(({ records }) => records === expected),
          delay(limitMs, undefined, { signal: end.signal }).catch(() => {}),
        ]);
        end.abort();
        const { NEW, ERROR } = upstream.summary().statuses;
        expect({ mode, NEW, ERROR }, repeatOf('R10', RECORDS)).toEqual({ mode, NEW: expected, ERROR: 0 });
        expect(mode === 'pass' || mode === 'refuse' || proxy.spoiled() > spoiledBefore, mode).toBe(true);
      }),
    );
  }
  const records = lanes.length * ROUNDS * RECORDS_OF_ROUND;
  report(
    context,
    `${CHAOS_MODES.length} modes, ${ROUNDS} of them for each lane, ${records} records: each in effect once`,
  );
});
