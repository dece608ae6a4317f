/**
 * Measures the cost of one sale on the disk: bytes, pages of the write-ahead log, and the wait of one till. All subjects (the
 * gateway and its alternatives) get sales of the same form. Each round measures every subject once, and the order rotates. A
 * measurement ends when the subject has stopped writing, so postponed writes count too.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { addErrors, measureUndisturbed } from './comparison.ts';
import { type Absent, type Running, runLoad } from './load.ts';
import { median, readDeviceWrittenBytes, readWrittenBytes } from './machine.ts';
import { startDiskSubjects } from './subjects.ts';
import { watchCommits } from './wal-commits.ts';
import type { Workspace } from './workspace.ts';

/**
 * `perSecond` is the rate of all connections together. Without it, each connection sends its next sale as soon as it has an
 * answer.
 */
export type SaleLoad = { connections: number; sales: number; perSecond?: number };

/** The costs per sale, as medians of the rounds. A figure is null if the system or the subject does not report it. */
export type SaleCost = {
  /** Bytes written by all processes of the subject. */
  bytes: number | null;
  /** Bytes written to the block device, by any process. */
  deviceBytes: number | null;
  pages: number | null;
  commits: number | null;
  /** The median number of database pages that a commit writes. */
  typicalCommit: number | null;
  p50: number;
  /** The largest share of the machine that other processes used in a round. */
  others: number | null;
  /** The number of errors in all rounds, by reason. */
  errors: Record<string, number>;
};

export type MeasuredSales = { name: string; load: SaleLoad; rounds: SaleCost[]; summary: SaleCost };

export type SalesReport = { rows: MeasuredSales[]; absent: Absent[] };

const warmUp: SaleLoad = { connections: 16, sales: 2000 };
const lookMs = 100;
const quietMs = 1000;
const maxQuietSeconds = 60;
let loads = 0;

/** Measures all subjects under each load; writes progress to stderr. */
export async function measureSales(
  workspace: Workspace,
  saleLoads: SaleLoad[],
  rounds: number,
  before: string | undefined,
): Promise<SalesReport> {
  const subjects = await startDiskSubjects(workspace, before);
  const running = subjects.filter((subject) => subject.kind === 'running');
  const absent = subjects.filter((subject) => subject.kind === 'absent');
  for (const { name, reason } of absent) process.stderr.write(`${name}: not run: ${reason}\n`);
  try {
    for (const subject of running) await measureLoad(workspace, subject, warmUp);
    const rows = saleLoads.flatMap((load) => running.map((subject) => ({ subject, load, rounds: [] as SaleCost[] })));
    for (let round = 0; round < rounds; round += 1) {
      for (const load of saleLoads) {
        const group = rows.filter((row) => row.load === load);
        const first = round % group.length;
        for (const row of [...group.slice(first), ...group.slice(0, first)]) {
          const measure = () => measureLoad(workspace, row.subject, load);
          // Only the wait of a till needs an undisturbed measurement. Other programs do not affect the number of bytes.
          const cost = isTimed(load) ? await measureUndisturbed(measure) : await measure();
          row.rounds.push(cost);
          const bytes = cost.bytes === null ? 'unknown' : (cost.bytes / 1000).toFixed(2);
          const told = `${bytes} kB a sale, p50 ${cost.p50.toFixed(2)} ms`;
          process.stderr.write(`round ${round + 1}, ${describeLoad(load)}, ${row.subject.name}: ${told}\n`);
        }
      }
    }
    return {
      rows: rows.map(({ subject, load, rounds: costs }) => ({
        name: subject.name,
        load,
        rounds: costs,
        summary: summarise(costs),
      })),
      absent,
    };
  } finally {
    await Promise.all(running.map((subject) => subject.stop()));
  }
}

/** True if this load measures how long a till waits: one till that sends without pauses. */
function isTimed({ connections, perSecond }: SaleLoad): boolean {
  return connections === 1 && perSecond === undefined;
}

export function describeLoad({ connections, perSecond }: SaleLoad): string {
  const pace = perSecond === undefined ? '' : `, ${perSecond} sales a second`;
  return `${connections} connection${connections === 1 ? '' : 's'}${pace}`;
}

/**
 * Resolves with the bytes written so far when the process and its descendants have written nothing for a second. Throws if they
 * never stop.
 */
export async function readWhenQuiet(pid: number): Promise<number | null> {
  let bytes = readWrittenBytes(pid);
  let quietSince = performance.now();
  const deadline = quietSince + maxQuietSeconds * 1000;
  while (performance.now() - quietSince < quietMs) {
    if (performance.now() > deadline) throw new Error(`process ${pid} does not stop writing`);
    await delay(lookMs);
    const now = readWrittenBytes(pid);
    if (now === bytes) continue;
    bytes = now;
    quietSince = performance.now();
  }
  return bytes;
}

async function measureLoad(workspace: Workspace, subject: Running, load: SaleLoad): Promise<SaleCost> {
  const bytesBefore = await readWhenQuiet(subject.pid);
  const deviceBefore = readDeviceWrittenBytes(workspace.folder);
  const watch = subject.database === undefined ? undefined : watchCommits(subject.database);
  loads += 1;
  const { connections, sales, perSecond } = load;
  const report = await runLoad(workspace, {
    target: subject.target,
    connections,
    ...(perSecond !== undefined && { perSecond }),
    records: {
      idPrefix: `disk${loads}-${Date.now().toString(36)}`,
      first: 0,
      sales: 'detailed',
      time: { kind: 'now' },
    },
    until: { kind: 'count', count: sales, limitSeconds: 60 + sales / Math.min(perSecond ?? 50, 50) },
    watchPid: subject.pid,
  });
  const bytesAfter = await readWhenQuiet(subject.pid);
  const deviceAfter = readDeviceWrittenBytes(workspace.folder);
  const commits = watch?.stop() ?? null;
  const { answered } = report;
  const perSale = (after: number | null, base: number | null): number | null =>
    after === null || base === null ? null : (after - base) / answered;
  return {
    bytes: perSale(bytesAfter, bytesBefore),
    deviceBytes: perSale(deviceAfter, deviceBefore),
    pages: commits === null ? null : commits.pages / answered,
    commits: commits === null ? null : commits.count / answered,
    typicalCommit: commits === null ? null : commits.typical,
    p50: report.p50,
    others: report.others,
    errors: { ...report.errors, ...(answered < sales && { 'not sent in time': sales - answered }) },
  };
}

function summarise(rounds: SaleCost[]): SaleCost {
  const middle = (read: (cost: SaleCost) => number | null): number | null => {
    const known = rounds.map(read).filter((value) => value !== null);
    return known.length === 0 ? null : median(known);
  };
  const others = rounds.map((round) => round.others).filter((share) => share !== null);
  return {
    bytes: middle(({ bytes }) => bytes),
    deviceBytes: middle(({ deviceBytes }) => deviceBytes),
    pages: middle(({ pages }) => pages),
    commits: middle(({ commits }) => commits),
    typicalCommit: middle(({ typicalCommit }) => typicalCommit),
    p50: median(rounds.map(({ p50 }) => p50)),
    others: others.length === 0 ? null : Math.max(...others),
    errors: addErrors(rounds),
  };
}
