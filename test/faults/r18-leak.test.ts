// Many requests leave no memory and no open file behind. The first half of the requests warms the gateway up.

import { readdirSync } from 'node:fs';

import { expect, onTestFinished, test } from 'vitest';

import { databasePath, openDatabase } from '../../server/store/sqlite/engine/database.ts';
import { runLoad } from '../bench/load.ts';
import { openWorkspace } from '../bench/workspace.ts';
import { openTestSite } from '../e2e/test-site.ts';
import { readResidentMb } from '../support/process-memory.ts';
import { countOf, repeatOf, report } from './tier.ts';

const REQUESTS = countOf({ commit: 10_000, nightly: 5_000_000 });
const CONNECTIONS = 64;
/** The requests of one load. Each load opens new connections. */
const REQUESTS_OF_LOAD = 250_000;
/** The time limit of one load. Only a gateway that no longer answers reaches it. */
const MAX_SECONDS_OF_LOAD = 3600;
const SAMPLE_MS = 200;
/** Garbage that V8 has not collected yet. */
const MAX_GROWTH_MB = 40;

test('memory and open files stay the same over many requests', async (context) => {
  if (process.platform !== 'linux') return context.skip('only Linux tells what a process holds');
  const site = await openTestSite();
  const workspace = openWorkspace();
  onTestFinished(() => workspace.close());
  const { key } = await site.createKey('Till 1');
  const gateway = await site.startGateway();
  const measure = () => ({
    megabytes: readResidentMb(gateway.pid) ?? 0,
    files: readdirSync(`/proc/${gateway.pid}/fd`).length,
  });

  /** Sends half of the requests. Returns the last figures that were read meanwhile. */
  async function send(part: string): Promise<ReturnType<typeof measure>> {
    let last = measure();
    const timer = setInterval(() => (last = measure()), SAMPLE_MS);
    onTestFinished(() => clearInterval(timer));
    for (let first = 0; first < REQUESTS / 2; first += REQUESTS_OF_LOAD) {
      const count = Math.min(REQUESTS_OF_LOAD, REQUESTS / 2 - first);
      const { errors } = await runLoad(workspace, {
        target: { wire: 'http', host: '127.0.0.1', port: gateway.port, tokens: [key] },
        connections: CONNECTIONS,
        records: { idPrefix: part, first, time: { kind: 'now' } },
        until: { kind: 'count', count, limitSeconds: MAX_SECONDS_OF_LOAD },
        watchPid: gateway.pid,
      });
      expect(errors).toEqual({});
    }
    clearInterval(timer);
    return last;
  }

  const [warm, end] = [await send('warm-up'), await send('measured')];
  expect(end.megabytes - warm.megabytes, repeatOf('R18', REQUESTS)).toBeLessThan(MAX_GROWTH_MB);
  expect(end.files, repeatOf('R18', REQUESTS)).toBeLessThanOrEqual(warm.files + CONNECTIONS);
  expect(await gateway.stop()).toEqual({ code: 0, signal: null, stderr: '' });
  expect(countRecords(site.dataDir)).toBe(REQUESTS);
  const growth = (end.megabytes - warm.megabytes).toFixed(1);
  report(
    context,
    `${REQUESTS} requests: ${growth} MB more after the second half, ${end.files - warm.files} more files`,
  );
});

function countRecords(dataDir: string): number {
  const db = openDatabase(databasePath(dataDir), 'read');
  try {
    return db.prepare<[], number>('SELECT count(*) FROM records').pluck().get() ?? 0;
  } finally {
    db.close();
  }
}
