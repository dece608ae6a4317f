// A gateway that has a tenth of one processor delays no health check, and serves all tills.

import { expect, onTestFinished, test } from 'vitest';

import { openTestSite } from '../e2e/test-site.ts';
import { limitProcessor } from '../support/slow-processor.ts';
import { measureHealthBeside } from '../support/till/health-beside.ts';
import { countOf, JUDGES_TIME, repeatOf, report } from './tier.ts';

const SALES = countOf({ commit: 150, nightly: 3000 });
const TILLS = 100;
const SHARE = 0.1;
/** Sales per second of all tills: one every ten seconds at each. About 40 need all of a tenth of a processor. */
const RATE = JUDGES_TIME ? 10 : 40;
const POLL_MS = JUDGES_TIME ? 200 : 50;

test('a tenth of a processor delays no health check, and 100 tills are all served', async (context) => {
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const release = limitProcessor(gateway.pid, SHARE);
  if (release === undefined) return context.skip('needs root on Linux, and a cgroup for the processor');
  onTestFinished(release);
  const load = { url: gateway.url, keys: [key], tills: TILLS, rate: RATE };
  const { replayed, p99 } = await measureHealthBeside(load, SALES, POLL_MS);
  expect(replayed).toMatchObject({ ok: true, complete: true, sales: SALES, faults: [], retries: {} });
  if (JUDGES_TIME) expect(p99, repeatOf('R16', SALES)).toBeLessThan(50);
  report(context, `10 % of a processor: ${SALES} sales of ${TILLS} tills, p99 of /healthz ${p99.toFixed(1)} ms`);
});
