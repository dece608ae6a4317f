// A till that sends ten times as often as each of 99 others does not delay them.

import { setTimeout as delay } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { openTestSite } from '../e2e/test-site.ts';
import { bodyOf, postBody } from '../support/http-call.ts';
import { countOf, JUDGES_TIME, repeatOf, report } from './tier.ts';

/** Seconds of each of the two phases. */
const SECONDS = countOf({ commit: 3, nightly: 60 });
const OTHERS = 99;
const NOISY_PER_SECOND = 10;

test('one till at ten times the rate of 99 others does not double their p99', async (context) => {
  const site = await openTestSite();
  const { key } = await site.createKey('Others');
  const { key: noisyKey } = await site.createKey('Noisy');
  const gateway = await site.startGateway();

  /** Sends at a constant rate, whatever the answers need. Resolves to the milliseconds of each answer. */
  async function send(secret: string, name: string, perSecond: number): Promise<number[]> {
    const calls: Promise<number>[] = [];
    const startedAt = performance.now();
    for (let i = 0; i < SECONDS * perSecond; i++) {
      await delay(Math.max(0, startedAt + (i * 1000) / perSecond - performance.now()));
      const sentAt = performance.now();
      const answer = postBody(gateway.url, secret, bodyOf({ external_id: `${name} ${i}` }));
      calls.push(
        answer.then(({ status }) => {
          expect(status).toBe(201);
          return performance.now() - sentAt;
        }),
      );
    }
    return Promise.all(calls);
  }
  const p99Of = (waits: readonly number[]): number =>
    waits.toSorted((a, b) => a - b)[Math.floor(0.99 * waits.length)] ?? Infinity;

  await send(key, 'warm-up', OTHERS);
  const alone = p99Of(await send(key, 'alone', OTHERS));
  const noise = send(noisyKey, 'noisy', NOISY_PER_SECOND);
  const beside = p99Of(await send(key, 'beside', OTHERS));
  await noise;
  if (JUDGES_TIME) expect(beside, repeatOf('S13', SECONDS)).toBeLessThan(2 * alone);
  report(context, `p99 of the others ${beside.toFixed(1)} ms beside the noisy till, ${alone.toFixed(1)} ms alone`);
});
