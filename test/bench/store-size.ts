/**
 * Measures how the size of a store affects the gateway's start, memory and queries. The same data folder grows from size to
 * size. At the end, intake on the largest store is compared with intake on an empty store. The two alternate.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { compareIntake, type Measured, type Pace } from './comparison.ts';
import { fillStore } from './fill.ts';
import { measureStart, readRestMb } from './footprint.ts';
import { createTillKeys, startGateway } from './gateway.ts';
import { runLoad } from './load.ts';
import { median, watchResidentMb } from './machine.ts';
import { type ComparedQuery, compareQueries, measureQueries, type QueryCosts } from './query-cost.ts';
import { planFill } from './records.ts';
import { asSubject } from './subjects.ts';
import type { Workspace } from './workspace.ts';

export type SizeReport = {
  records: number;
  filled: { added: number; seconds: number };
  startMs: number;
  restMb: number | null;
  queries: QueryCosts;
};

/**
 * The queries of both gateways at one size. The times are medians of the rounds. `lowest` and `highest` are the smallest and the
 * largest ratio in a round.
 */
export type ComparedQueries = {
  records: number;
  queries: (ComparedQuery & { ratio: number; lowest: number; highest: number })[];
};

export type SizesReport = { sizes: SizeReport[]; empty: Measured; largest: Measured; loadMb: number | null };

const connections = 64;
const emptyName = 'empty store';
const largestName = 'largest store';

/**
 * Compares the queries of this gateway with those of another checkout, one query after the other on both. Both stores get the
 * same records over HTTP, because the other checkout may have another schema. Each round restarts both gateways, because two
 * starts of the same code differ by up to 7 %.
 */
export async function compareWithBefore(
  workspace: Workspace,
  before: string,
  records: number,
  rounds: number,
): Promise<ComparedQueries> {
  const fill = async (checkout?: string) => {
    const data = workspace.makeFolder('queried');
    const tokens = await createTillKeys(workspace, data, checkout);
    const { address, pid, stop } = await startGateway(workspace, data, checkout);
    await runLoad(workspace, {
      target: { wire: 'http', ...address, tokens },
      connections,
      records: planFill(0, records),
      until: { kind: 'count', count: records, limitSeconds: Math.max(60, records / 1000) },
      watchPid: pid,
    });
    await stop();
    return { data, token: tokens[0] ?? '', checkout };
  };
  process.stderr.write(`comparing with ${before} at ${records} records\n`);
  const stores = [await fill(), await fill(before)];
  const compared: ComparedQuery[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const gateways = await Promise.all(stores.map(({ data, checkout }) => startGateway(workspace, data, checkout)));
    const [own, other] = gateways.map(({ address }, at) => ({
      origin: `http://${address.host}:${address.port}`,
      token: stores[at]?.token ?? '',
    }));
    if (own !== undefined && other !== undefined) compared.push(await compareQueries(own, other));
    await Promise.all(gateways.map(({ stop }) => stop()));
  }
  return { records, queries: summariseRounds(compared) };
}

function summariseRounds(rounds: ComparedQuery[][]): ComparedQueries['queries'] {
  return (rounds[0] ?? []).map(({ name }) => {
    const same = rounds.flatMap((round) => round.filter((query) => query.name === name));
    const ratios = same.map(({ ms, beforeMs }) => ms / beforeMs);
    return {
      name,
      ms: median(same.map(({ ms }) => ms)),
      beforeMs: median(same.map(({ beforeMs }) => beforeMs)),
      ratio: median(ratios),
      lowest: Math.min(...ratios),
      highest: Math.max(...ratios),
    };
  });
}

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
