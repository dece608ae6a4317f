// Memory after a long outage. While the gateway drains its outbox, it is killed twice and a till keeps selling. The test then
// compares the gateway's memory with its memory at rest. Only Linux reports these figures.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { openStore } from '../../server/store/open-store.ts';
import { LANE, openUpstream, setUpstream, TOKEN } from '../e2e/lane.ts';
import { openSite, type Site } from '../support/gateway-process.ts';
import { bodyOf, postBody } from '../support/http-call.ts';
import { readResidentMb } from '../support/process-memory.ts';
import { arrivalOf, makeKey } from '../support/temp-store.ts';
import { countOf, JUDGES_TIME, repeatOf, report } from './tier.ts';

/** The size of the outbox. */
const RECORDS = countOf({ commit: 20_000, nightly: 250_000 });
const AT_ONCE = 500;
const SAMPLE_MS = 50;
const SALE_EVERY_MS = 20;

test('a long drain that is killed twice loses no record, and needs at most 100 MB above rest', async (context) => {
  if (process.platform !== 'linux') return context.skip('only Linux tells what a process holds');
  const site = await openSite(undefined, { NODE_OPTIONS: readStartFlags() });
  onTestFinished(() => site.close());
  await fill(site);
  const upstream = await openUpstream('slow 5ms', { keepBodies: false });
  await setUpstream(site, upstream.url, TOKEN);
  await site.runJson('upstream', 'pause', ...LANE);
  // this till sends to another lane, which has no upstream
  const { key } = await site.createKey('Till 2', 'production');
  let gateway = await site.startGateway();
  const restMb = readResidentMb(gateway.pid) ?? 0;
  let mostMb = restMb;
  const timer = setInterval(() => (mostMb = Math.max(mostMb, readResidentMb(gateway.pid) ?? 0)), SAMPLE_MS);
  onTestFinished(() => clearInterval(timer));
  const till = startTill(key, () => gateway.url);
  onTestFinished(() => void till.stop());
  const startedAt = performance.now();
  await site.runJson('upstream', 'resume', ...LANE);
  for (const share of [1 / 3, 2 / 3]) {
    await upstream.waitUntil(({ records }) => records >= share * RECORDS);
    gateway.kill('SIGKILL');
    await gateway.exited;
    gateway = await site.startGateway();
  }
  await upstream.waitUntil(({ records }) => records === RECORDS);
  const perSecond = (RECORDS / (performance.now() - startedAt)) * 1000;
  const waits = await till.stop();
  const p99 = waits.toSorted((a, b) => a - b)[Math.floor(0.99 * waits.length)];
  const { NEW, ERROR } = upstream.summary().statuses;
  expect({ NEW, ERROR }).toEqual({ NEW: RECORDS, ERROR: 0 });
  expect(waits.length).toBeGreaterThan(0);
  expect(mostMb - restMb).toBeLessThanOrEqual(100);
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
  if (JUDGES_TIME) {
    expect(perSecond, repeatOf('R12', RECORDS)).toBeGreaterThanOrEqual(500);
    expect(p99, repeatOf('R12', RECORDS)).toBeLessThan(50);
  }
  report(
    context,
    `${RECORDS} records: ${perSecond.toFixed(0)}/s, ${(mostMb - restMb).toFixed(0)} MB above rest, p99 of the till ${p99?.toFixed(1)} ms`,
  );
});

/** A till that sells until it is stopped. `stop` returns the milliseconds of each accepted sale. */
function startTill(key: string, url: () => string): { stop(): Promise<number[]> } {
  const waits: number[] = [];
  let isStopped = false;
  async function sell(): Promise<number[]> {
    for (let sale = 1; !isStopped; sale++) {
      const sentAt = performance.now();
      const answer = await postBody(url(), key, bodyOf({ external_id: `T-${sale}` })).catch(() => undefined);
      if (answer?.status === 201) waits.push(performance.now() - sentAt);
      await delay(SALE_EVERY_MS);
    }
    return waits;
  }
  const selling = sell();
  return {
    stop() {
      isStopped = true;
      return selling;
    },
  };
}

/** The flags that `npm start` gives Node. */
function readStartFlags(): string {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return /^node (.*) build\/run\.mjs start$/.exec(scripts.start)?.[1] ?? '';
}

async function fill({ dataDir }: Site): Promise<void> {
  const store = await openStore({ dataDir, role: 'gateway' });
  const key = await makeKey(store, 'Till 1', { mode: 'test' });
  const lines = Array.from({ length: 4 }, (_, line) => ({ article: `Bread ${line}`, quantity: 1, price: '2.50' }));
  for (let first = 0; first < RECORDS; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => {
        const soldAt = 1_760_000_000 + 60 * (first + i);
        return store.records.append(arrivalOf(key, { externalId: `S-${first + i}`, soldAt, object: { lines } }));
      }),
    );
  await store.close();
}
