/**
 * Measures the gateway alone: time from start to ready, and resident memory at rest and under load. Each measurement starts
 * its own gateway, so that no earlier load affects it.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { measureIntake } from './comparison.ts';
import { createTillKeys, startGateway } from './gateway.ts';
import type { LoadReport } from './load.ts';
import { median, readResidentMb, watchResidentMb } from './machine.ts';
import { asSubject, gatewayName } from './subjects.ts';
import type { Workspace } from './workspace.ts';

/** Times in milliseconds, memory in MB. Memory is null on systems without /proc. */
export type Footprint = {
  firstStartMs: number;
  emptyStartMs: number;
  restMb: number | null;
  loadMb: number | null;
  load: LoadReport;
};

const starts = 3;
const restMs = 2000;
const connections = 64;

export async function measureFootprint(workspace: Workspace, seconds: number): Promise<Footprint> {
  const folders = Array.from({ length: starts }, () => workspace.makeFolder('start'));
  const firstStarts: number[] = [];
  for (const folder of folders) firstStarts.push(await measureStart(workspace, folder, 1));

  const data = workspace.makeFolder('memory');
  const tokens = await createTillKeys(workspace, data);
  const emptyStartMs = await measureStart(workspace, data, starts);
  const gateway = await startGateway(workspace, data);
  const restMb = await readRestMb(gateway.pid);
  const resident = watchResidentMb(gateway.pid);
  const load = await measureIntake(workspace, asSubject(gatewayName, gateway, tokens), connections, seconds);
  const loadMb = resident.stop();
  await gateway.stop();
  return { firstStartMs: median(firstStarts), emptyStartMs, restMb, loadMb, load };
}

/** Median milliseconds from spawn to ready, over a number of starts on this data folder. */
export async function measureStart(workspace: Workspace, data: string, times = starts): Promise<number> {
  const measured: number[] = [];
  for (let start = 0; start < times; start += 1) {
    const gateway = await startGateway(workspace, data);
    measured.push(gateway.readyMs);
    await gateway.stop();
  }
  return median(measured);
}

/** Resident memory of a gateway that has been ready for two seconds. */
export async function readRestMb(pid: number): Promise<number | null> {
  await delay(restMs);
  return readResidentMb(pid);
}
