// A long outage ends: what the gateway's process holds while it sends what has waited, beside what it holds at rest. Linux tells.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { openStore } from '../../server/store/open-store.ts';
import { openSite, type Site } from '../support/gateway-process.ts';
import { arrivalOf, makeKey } from '../support/temp-store.ts';
import { LANE, openUpstream, setUpstream, TOKEN } from './lane.ts';

const RECORDS = 100_000;
const AT_ONCE = 500;
const SAMPLE_MS = 50;

test('draining 100,000 records takes no more than 100 MB above rest', { timeout: 600_000 }, async ({ skip }) => {
  if (process.platform !== 'linux') return skip('not run: only Linux tells what a process holds');
  const site = await openSite(undefined, { NODE_OPTIONS: readStartFlags() });
  onTestFinished(() => site.close());
  await fill(site);
  const upstream = await openUpstream('slow 5ms', { keepBodies: false });
  await setUpstream(site, upstream.url, TOKEN);
  await site.runJson('upstream', 'pause', ...LANE);
  const gateway = await site.startGateway();
  const restMb = readResidentMb(gateway.pid);
  let mostMb = restMb;
  const timer = setInterval(() => (mostMb = Math.max(mostMb, readResidentMb(gateway.pid))), SAMPLE_MS);
  onTestFinished(() => clearInterval(timer));
  await site.runJson('upstream', 'resume', ...LANE);
  await upstream.waitUntil(({ records }) => records === RECORDS);
  expect(upstream.summary().statuses).toEqual({ NEW: RECORDS, IGNORED: 0, ERROR: 0 });
  expect(mostMb - restMb).toBeLessThanOrEqual(100);
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
});

/** What `npm start` gives Node. */
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

function readResidentMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1024) / 1e6;
}
