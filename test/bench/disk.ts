/**
 * The benchmark of the disk: what one sale costs until it is stored, and the space of a record after its delivery. If a part
 * cannot run, the result states the reason and the other part still runs.
 */
import { atMost, type Bar, findClean, ratio } from './bars.ts';
import { type ArchiveReport, measureArchive } from './disk-archive.ts';
import { measureRest, type RestReport } from './disk-rest.ts';
import { measureSales, type SaleCost, type SaleLoad, type SalesReport } from './disk-sale.ts';
import { createPartRunner, describeRun, type Part, type Run, valueOf } from './intake.ts';
import { expressWithSqliteName, gatewayName } from './subjects.ts';
import type { Workspace } from './workspace.ts';

export const diskParts = ['sales', 'rest', 'archive'] as const;

export type DiskOptions = {
  rounds: number;
  /** Three loads: one till without pauses, one till at a fixed pace, and many connections. */
  loads: { till: SaleLoad; paced: SaleLoad; many: SaleLoad };
  /** The number of records whose space is measured after their delivery. */
  records: number;
  only: (typeof diskParts)[number] | undefined;
  /** The folder of another checkout with a build. Its gateway is measured too. */
  before: string | undefined;
};

export type DiskResult = Run & {
  options: DiskOptions;
  sales: Part<SalesReport>;
  rest: Part<RestReport[]>;
  archive: Part<ArchiveReport[]>;
  bars: Bar[];
};

/**
 * Plans the loads of a run. With `isQuick` they are small. Otherwise, the first load is long enough for a checkpoint in every
 * subject that makes checkpoints.
 */
export function planLoads(isQuick: boolean): DiskOptions['loads'] {
  return {
    till: { connections: 1, sales: isQuick ? 500 : 4000 },
    paced: { connections: 1, sales: isQuick ? 60 : 200, perSecond: 20 },
    many: { connections: 64, sales: isQuick ? 5000 : 20_000 },
  };
}

/** Runs the selected parts within the workspace; writes progress to stderr. */
export async function runDisk(workspace: Workspace, options: DiskOptions, command: string): Promise<DiskResult> {
  const run = await describeRun(workspace, command);
  const runPart = createPartRunner(options.only);
  const { loads, rounds, records, before } = options;
  const sales = await runPart('sales', () => measureSales(workspace, Object.values(loads), rounds, before));
  const rest = await runPart('rest', () => measureRest(workspace, records, before));
  const archive = await runPart('archive', () => measureArchive(workspace, records));
  return { ...run, options, sales, rest, archive, bars: judgeDisk(options, valueOf(sales), valueOf(rest)) };
}

function judgeDisk({ loads }: DiskOptions, sales: SalesReport | undefined, rest: RestReport[] | undefined): Bar[] {
  const costOf = (name: string, load: SaleLoad): SaleCost | undefined =>
    findClean(sales?.rows.find((row) => row.name === name && row.load === load)?.summary);
  const till = costOf(gatewayName, loads.till);
  const kilobytes = (bytes: number | null | undefined) => (bytes == null ? undefined : bytes / 1000);
  return [
    atMost(5, 'pages per sale in the write-ahead log, one till', till?.pages ?? undefined),
    atMost(20, 'kB to disk per sale, one till', kilobytes(till?.bytes)),
    atMost(2.5, 'kB to disk per sale, 64 connections', kilobytes(costOf(gatewayName, loads.many)?.bytes)),
    atMost(
      1.5,
      '× one SQLite transaction per request, p50 of one till',
      ratio(till?.p50, costOf(expressWithSqliteName, loads.till)?.p50),
    ),
    atMost(
      280,
      'bytes per delivered bakery record at rest, when its body is packed',
      rest?.find(({ name }) => name === gatewayName)?.packed ?? undefined,
    ),
  ];
}
