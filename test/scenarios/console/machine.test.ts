// Problems of the gateway's machine appear in the console, in the log file and in /health.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import type { HealthView } from '../../../server/contract/machine.ts';
import type { OverviewView } from '../../../server/contract/overview.ts';
import { VERSION } from '../../../server/version.ts';
import { enter } from '../../support/console.ts';
import { bodyOf, call, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { arrivalOf } from '../../support/temp-store.ts';

const DAY_MS = 86_400_000;
/** A disk of 100 GB with this much free space. */
const diskWith = (freeBytes: number) => ({ readSpace: () => Promise.resolve({ freeBytes, totalBytes: 1e11 }) });

async function openOn(...opening: Parameters<typeof openTestGateway>) {
  const told: string[] = [];
  const [config, certificate, surroundings] = opening;
  const gateway = await openTestGateway(config, certificate, {
    ...surroundings,
    tell: (sentence) => void told.push(sentence),
  });
  onTestFinished(() => gateway.close());
  const window = await enter(gateway);
  return {
    told,
    log: () => readFileSync(join(config?.dataDir ?? gateway.dataDir, 'logs', 'counterfoil.log'), 'utf8'),
    health: async () => (await call(`${gateway.consoleUrl}/health`)).json() as unknown as HealthView,
    overview: async () =>
      (await window.get(`/api/overview?journal=${gateway.production.journalId}`)).json() as unknown as OverviewView,
  };
}

test('nothing is reported while all is well', async () => {
  const { told, health, overview } = await openOn({}, undefined, diskWith(5e10));
  expect(told).toEqual([]);
  expect(await health()).toMatchObject({
    version: VERSION,
    trouble: null,
    unwrittenRefusals: 0,
    machine: { clock: null },
  });
  expect((await overview()).machine).toEqual((await health()).machine);
});

test('a clock before the build date is reported at the start, in the log and in the overview', async () => {
  const builtAt = Date.now() + DAY_MS;
  const { told, log, health, overview } = await openOn({}, undefined, { ...diskWith(5e10), builtAt });
  expect(told).toEqual([expect.stringMatching(/^The clock of this machine is wrong: /)]);
  await expect.poll(log).toContain('"code":"clock_wrong"');
  for (const { machine } of [await health(), await overview()])
    expect(machine.clock).toMatchObject({ code: 'before_build', earliest: builtAt });
});

test('sales of this machine do not confirm its clock, because they carry its own time', async () => {
  const gateway = await openTestGateway();
  onTestFinished(() => gateway.close());
  const { apiUrl, production, store } = gateway;
  await store.records.append(arrivalOf(production, { externalId: 'ahead', receivedAt: Date.now() + DAY_MS }));
  for (let i = 0; i < 5; i++)
    await postBody(apiUrl, production.secret, bodyOf({ timestamp: new Date().toISOString().slice(0, 19) + 'Z' }));
  expect(await gateway.countRecords()).toMatchObject({ NEW: 6 });
  expect((await store.health.readMachine()).clock).toMatchObject({ code: 'before_newest' });
});

test('a disk that is nearly full is reported at the start, in the log as a warning and in the overview', async () => {
  const { told, log, overview } = await openOn({}, undefined, diskWith(9e9));
  expect(told).toEqual([expect.stringMatching(/^The disk is nearly full: .* Tills can still sell\. Free some space/)]);
  await expect.poll(log).toMatch(/"level":40.*"code":"disk_low"/);
  expect((await overview()).machine.disk).toEqual({ freeBytes: 9e9, totalBytes: 1e11, daysLeft: null, isLow: true });
});
