// A disk with 50 syncs per second delays neither the health check nor any till beyond its own commits.

import { expect, onTestFinished, test } from 'vitest';

import { libraryOf } from '../support/disk/built.ts';
import { HAS_RECORDER } from '../support/disk/recorded-shop.ts';
import { openSite } from '../support/gateway-process.ts';
import { measureHealthBeside } from '../support/till/health-beside.ts';
import { countOf, JUDGES_TIME, repeatOf, report } from './tier.ts';

const SALES = countOf({ commit: 2000, nightly: 50_000 });
const TILLS = 100;
/** Sales per second of all tills. Without a limit, this process would be busy and would delay its own health checks. */
const RATE = 500;
const SYNC_MS = 20;
const POLL_MS = 5;

test('a slow disk delays no health check, and 100 tills are all served', async (context) => {
  if (!HAS_RECORDER) return context.skip('needs Linux and a C compiler');
  const variables = { LD_PRELOAD: libraryOf('slow.c'), SLOW_SYNC_MS: String(SYNC_MS) };
  const site = await openSite(undefined, variables);
  onTestFinished(() => site.close());
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const load = { url: gateway.url, keys: [key], tills: TILLS, rate: RATE };
  const { replayed, p99 } = await measureHealthBeside(load, SALES, POLL_MS);
  expect(replayed).toMatchObject({ ok: true, complete: true, sales: SALES, faults: [], retries: {} });
  if (JUDGES_TIME) expect(p99, repeatOf('R16', SALES)).toBeLessThan(50);
  report(context, `${SALES} sales of ${TILLS} tills, p99 of /healthz ${p99.toFixed(1)} ms`);
});
