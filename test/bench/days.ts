/**
 * The benchmark of store days: the number of queries to find one missing sale, and the time to read a year of store days. If
 * a part cannot run, the result states the reason and the other part still runs.
 */
import { atMost, type Bar } from './bars.ts';
import { type FindingReport, measureFinding } from './days-finding.ts';
import { measureOverview, type OverviewReport, yearCount, yearView } from './days-overview.ts';
import { createPartRunner, describeRun, type Part, type Run, valueOf } from './intake.ts';
import type { Workspace } from './workspace.ts';

export const daysParts = ['finding', 'overview'] as const;

export type DaysOptions = {
  /** Records in the store for the overview. */
  records: number;
  /** Records in the reconciled month. */
  month: number;
  only: (typeof daysParts)[number] | undefined;
  /** Folder that keeps the overview's store for the next run. */
  store: string | undefined;
};

export type DaysResult = Run & {
  options: DaysOptions;
  finding: Part<FindingReport>;
  overview: Part<OverviewReport>;
  bars: Bar[];
};

/** Runs the selected parts within the workspace; writes progress to stderr. */
export async function runDays(workspace: Workspace, options: DaysOptions, command: string): Promise<DaysResult> {
  const run = await describeRun(workspace, command);
  const runPart = createPartRunner(options.only);
  const overview = await runPart('overview', () => measureOverview(workspace, options.records, options.store));
  const finding = await runPart('finding', () => measureFinding(workspace, options.month));
  return { ...run, options, finding, overview, bars: judgeDays(options, valueOf(finding), valueOf(overview)) };
}

function judgeDays(
  { records, month }: DaysOptions,
  finding: FindingReport | undefined,
  overview: OverviewReport | undefined,
): Bar[] {
  const one = `to find one missing sale of ${month.toLocaleString('en-US')} in a month`;
  const at = `at ${(records / 1e6).toLocaleString('en-US')} million records`;
  const medianOf = (name: string) => overview?.costs.find((cost) => cost.name === name)?.medianMs;
  return [
    atMost(40, `count queries ${one}`, finding?.byNumber.counts),
    atMost(2, `pages ${one}`, finding?.byNumber.pages),
    ...[yearCount, yearView].map((name) => atMost(50, `ms, ${name}, ${at}`, medianOf(name))),
  ];
}
