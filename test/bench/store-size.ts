/**
 * Measures the effect of a growing store on start, memory and the query. One data folder grows from size to size. At the end,
 * it compares intake on the largest store with intake on an empty store, in turns.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { compareIntake, type Measured, type Pace } from './comparison.ts';
import { fillStore } from './fill.ts';
import { measureStart, readRestMb } from './footprint.ts';
import { createTillKeys, startGateway } from './gateway.ts';
import { watchResidentMb } from './machine.ts';
import { measureQueries, type QueryCosts } from './query-cost.ts';
import { asSubject } from './subjects.ts';
import type { Workspace } from './workspace.ts';

export type SizeReport = {
  records: number;
  filled: { added: number; seconds: number };
  startMs: number;
  restMb: number | null;
  queries: QueryCosts;
};

export type SizesReport = { sizes: SizeReport[]; empty: Measured; largest: Measured; loadMb: number | null };

const connections = 64;
const emptyName = 'empty store';
const largestName = 'largest store';

/**
 * Measures each size; sizes are in records. `keptFolder` keeps the filled store for the next run. Without it, the workspace
 * deletes the store.
 */
export async function measureSizes(
  workspace: Workspace,
  sizes: number[],
  pace: Pace,
  keptFolder: string | undefined,
): Promise<SizesReport> {
  const data = join(keptFolder ?? workspace.makeFolder('sizes'), 'data');
  mkdirSync(data, { recursive: true });
  const tokens = await createTillKeys(workspace, data);
  const reports: SizeReport[] = [];
  for (const records of sizes.toSorted((a, b) => a - b)) {
    process.stderr.write(`filling up to ${records} records\n`);
    const filled = await fillStore(data, records);
    process.stderr.write(`added ${filled.added} in ${filled.seconds.toFixed(0)} s; querying\n`);
    const startMs = await measureStart(workspace, data);
    const gateway = await startGateway(workspace, data);
    const restMb = await readRestMb(gateway.pid);
    const origin = `http://${gateway.address.host}:${gateway.address.port}`;
    const queries = await measureQueries(origin, tokens[0] ?? '', records);
    await gateway.stop();
    reports.push({ records, filled, startMs, restMb, queries });
  }

  const emptyData = workspace.makeFolder('empty');
  const emptyTokens = await createTillKeys(workspace, emptyData);
  const emptyGateway = await startGateway(workspace, emptyData);
  const largestGateway = await startGateway(workspace, data);
  const subjects = [asSubject(emptyName, emptyGateway, emptyTokens), asSubject(largestName, largestGateway, tokens)];
  const resident = watchResidentMb(largestGateway.pid);
  const [empty, largest] = await compareIntake(workspace, subjects, [connections], pace);
  const loadMb = resident.stop();
  await Promise.all([emptyGateway.stop(), largestGateway.stop()]);
  if (empty === undefined || largest === undefined) throw new Error('a measurement is missing');
  return { sizes: reports, empty, largest, loadMb };
}
