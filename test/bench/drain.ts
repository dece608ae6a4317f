/**
 * Measures how fast a backlog drains. The gateway drains a store. As a reference, a bare undici client posts the same bodies to
 * the same stand-in, with its best number of calls in flight. The gateway and the client alternate, and each round uses a copy
 * of the same store.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { fillStore } from './fill.ts';
import { createTillKeys, setUpstream, startGateway } from './gateway.ts';
import { median, readCpuSeconds } from './machine.ts';
import { type Mark, rateBetween, startUpstream, type Upstream, upstreamToken } from './upstream.ts';
import type { Workspace } from './workspace.ts';

export type DrainReport = {
  records: number;
  /**
   * The rates of the bare client in shorter runs, each with a different number of calls in flight. `best` is the number with
   * the highest rate.
   */
  tried: { underway: number; perSecond: number }[];
  best: number;
  bare: DrainSummary;
  gateway: DrainSummary;
};

/** Medians of the rounds. `spread` is (largest − smallest) ÷ median of the rates. `cpu` is µs of processor time per record. */
export type DrainSummary = {
  rates: number[];
  perSecond: number;
  cpu: number | null;
  spread: number;
  /** The number of calls, in all rounds, that repeated a record. */
  repeated: number;
};

type Drained = { perSecond: number; cpu: number | null; repeated: number };

const underwayCounts = [4, 8, 16, 32, 64];
const tryRecords = 20_000;
const bareClient = fileURLToPath(new URL('./bare-client.ts', import.meta.url));

export async function measureDrain(workspace: Workspace, records: number, rounds: number): Promise<DrainReport> {
  const upstream = await startUpstream(workspace);
  const { data } = await makeWaiting(workspace, records, upstream.url);
  const tried: DrainReport['tried'] = [];
  for (const underway of underwayCounts) {
    const { perSecond } = await drainBare(workspace, upstream, Math.min(records, tryRecords), underway);
    tried.push({ underway, perSecond });
    process.stderr.write(`bare undici, ${underway} in flight: ${Math.round(perSecond)}/s\n`);
  }
  const best = tried.toSorted((a, b) => b.perSecond - a.perSecond)[0]?.underway ?? 16;
  const bare: Drained[] = [];
  const gateway: Drained[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    bare.push(await drainBare(workspace, upstream, records, best));
    gateway.push(await drainGateway(workspace, upstream, data, records));
    const rates = [bare.at(-1), gateway.at(-1)].map((drained) => Math.round(drained?.perSecond ?? 0));
    process.stderr.write(`round ${round}: bare ${rates[0]}/s, gateway ${rates[1]}/s\n`);
  }
  await upstream.stop();
  return { records, tried, best, bare: summarise(bare), gateway: summarise(gateway) };
}

/**
 * Makes a store with records that wait for this upstream. Returns its folder and the tills' keys. Adds the records directly,
 * without HTTP.
 */
export async function makeWaiting(
  workspace: Workspace,
  records: number,
  url: string,
): Promise<{ data: string; tokens: string[] }> {
  process.stderr.write(`filling a store with ${records} waiting records\n`);
  const data = workspace.makeFolder('waiting');
  const tokens = await createTillKeys(workspace, data);
  await fillStore(data, records);
  await setUpstream(workspace, data, url, upstreamToken);
  return { data, tokens };
}

async function drainBare(
  workspace: Workspace,
  upstream: Upstream,
  records: number,
  underway: number,
): Promise<Drained> {
  await upstream.forget();
  const child = fork(bareClient, [upstream.url, String(records), String(underway)], { stdio: 'inherit' });
  const owned = workspace.own(child, 'SIGKILL');
  const failed = once(child, 'exit').then(([code]) =>
    code === 0 ? new Promise<never>(() => undefined) : Promise.reject(new Error('the bare client failed')),
  );
  const drained = await Promise.race([watchDrain(upstream, records, () => child.pid), failed]);
  await owned.stop();
  return drained;
}

async function drainGateway(
  workspace: Workspace,
  upstream: Upstream,
  filled: string,
  records: number,
): Promise<Drained> {
  await upstream.forget();
  const data = workspace.makeFolder('drain');
  cpSync(filled, data, { recursive: true });
  let pid: number | undefined;
  const drained = watchDrain(upstream, records, () => pid);
  const gateway = await startGateway(workspace, data);
  ({ pid } = gateway);
  const result = await drained;
  await gateway.stop();
  rmSync(data, { recursive: true });
  return result;
}

/** Measures a drain. The first hundredth of the records is warm-up, in which connections open and code is compiled. */
async function watchDrain(upstream: Upstream, records: number, pid: () => number | undefined): Promise<Drained> {
  const cpu: (number | null)[] = [];
  const marks = await upstream.expect([Math.ceil(records / 100), records], () => cpu.push(readCpuSeconds(pid() ?? 0)));
  const [first, last] = [marks[0], marks.at(-1)];
  return {
    perSecond: rateBetween(first, last),
    cpu: cpuBetween(first, last, cpu[0], cpu.at(-1)),
    repeated: last === undefined ? 0 : last.attempts - last.records,
  };
}

/** Microseconds of processor time per record; null if unknown. */
export function cpuBetween(
  from: Mark | undefined,
  to: Mark | undefined,
  before: number | null | undefined,
  after: number | null | undefined,
): number | null {
  if (from === undefined || to === undefined || before == null || after == null) return null;
  return ((after - before) * 1e6) / (to.records - from.records);
}

function summarise(drained: Drained[]): DrainSummary {
  const rates = drained.map(({ perSecond }) => perSecond);
  const cpu = drained.map((each) => each.cpu).filter((each) => each !== null);
  return {
    rates,
    perSecond: median(rates),
    cpu: cpu.length === 0 ? null : median(cpu),
    spread: (Math.max(...rates) - Math.min(...rates)) / median(rates),
    repeated: drained.reduce((sum, { repeated }) => sum + repeated, 0),
  };
}
