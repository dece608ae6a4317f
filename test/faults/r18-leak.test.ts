// Many requests leave no memory and no open file behind. The first half of the requests warms the gateway up.

import { readdirSync } from 'node:fs';

import { expect, test } from 'vitest';

import { openTestSite } from '../e2e/test-site.ts';
import { readResidentMb } from '../support/process-memory.ts';
import { replaySales } from '../support/till/replay.ts';
import { countOf, repeatOf, report } from './tier.ts';

const REQUESTS = countOf({ commit: 10_000, nightly: 5_000_000 });
const TILLS = 16;
/** Garbage that V8 has not collected yet. */
const MAX_GROWTH_MB = 40;

test('memory and open files stay the same over many requests', async (context) => {
  if (process.platform !== 'linux') return context.skip('only Linux tells what a process holds');
  const site = await openTestSite();
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const measure = () => ({
    megabytes: readResidentMb(gateway.pid) ?? 0,
    files: readdirSync(`/proc/${gateway.pid}/fd`).length,
  });
  async function send(part: string): Promise<ReturnType<typeof measure>> {
    let last = measure();
    function* sales(): Generator<Buffer> {
      for (let i = 0; i < REQUESTS / 2; i++) {
        last = i % 1000 === 0 ? measure() : last; // while all tills are connected
        const sale = { type: 'sale', external_id: `${part} ${i}`, timestamp: '2026-11-20T10:00:00Z', object: { i } };
        yield Buffer.from(JSON.stringify(sale));
      }
    }
    const summary = await replaySales({ url: gateway.url, keys: [key], sales: sales(), tills: TILLS });
    expect(summary).toMatchObject({ ok: true, faults: [] });
    return last;
  }
  const [warm, end] = [await send('warm-up'), await send('measured')];
  expect(end.megabytes - warm.megabytes, repeatOf('R18', REQUESTS)).toBeLessThan(MAX_GROWTH_MB);
  expect(end.files, repeatOf('R18', REQUESTS)).toBeLessThanOrEqual(warm.files + TILLS);
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
  const growth = (end.megabytes - warm.megabytes).toFixed(1);
  report(
    context,
    `${REQUESTS} requests: ${growth} MB more after the second half, ${end.files - warm.files} more files`,
  );
});
