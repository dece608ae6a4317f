/**
 * The forwarding benchmark: drain rate, cost of a large backlog, and the effect of forwarding on the tills. If a part cannot
 * run, the result states the reason and the other parts still run.
 */
import { type BacklogReport, measureBacklog } from './backlog.ts';
import { atLeast, atMost, type Bar, findClean, largestOf, ratio } from './bars.ts';
import type { Pace } from './comparison.ts';
import { type DrainReport, measureDrain } from './drain.ts';
import { type BesideReport, measureBeside } from './intake-beside.ts';
import { createPartRunner, describeRun, type Part, type Run, valueOf } from './intake.ts';
import type { Workspace } from './workspace.ts';

export const forwardParts = ['drain', 'backlog', 'intake'] as const;

export type ForwardOptions = {
  pace: Pace;
  /** The number of waiting records for two measurements: the drain, and intake during a drain. */
  records: number;
  /** Waiting records of the large backlog. */
  backlog: number;
  only: (typeof forwardParts)[number] | undefined;
};

export type ForwardResult = Run & {
  options: ForwardOptions;
  drain: Part<DrainReport>;
  backlog: Part<BacklogReport>;
  beside: Part<BesideReport>;
  bars: Bar[];
};

/** Runs the selected parts within the workspace; writes progress to stderr. */
export async function runForward(
  workspace: Workspace,
  options: ForwardOptions,
  command: string,
): Promise<ForwardResult> {
  const run = await describeRun(workspace, command);
  const runPart = createPartRunner(options.only);
  const { pace, records } = options;
  const drain = await runPart('drain', () => measureDrain(workspace, records, pace.rounds));
  const beside = await runPart('intake', () => measureBeside(workspace, records, pace));
  const backlog = await runPart('backlog', () => measureBacklog(workspace, options.backlog));
  const bars = judgeForwarding(options, valueOf(drain), valueOf(backlog), valueOf(beside));
  return { ...run, options, drain, backlog, beside, bars };
}

function judgeForwarding(
  options: ForwardOptions,
  drain: DrainReport | undefined,
  backlog: BacklogReport | undefined,
  beside: BesideReport | undefined,
): Bar[] {
  const alone = findClean(beside?.alone);
  const draining = findClean(beside?.draining);
  const costs = backlog?.stretches.map(({ usPerRecord }) => usPerRecord) ?? [];
  const cpu = backlog?.stretches.map((stretch) => stretch.cpu) ?? [];
  const large = `${options.backlog.toLocaleString('en-US')} waiting`;
  const memory = backlog && { idle: backlog.idleMb, most: largestOf(backlog.lineDownMb, backlog.drainingMb) };
  return [
    atLeast(
      0.6,
      `× a bare undici client, draining ${options.records.toLocaleString('en-US')} records`,
      ratio(drain?.gateway.perSecond, drain?.bare.perSecond),
    ),
    atMost(
      1.3,
      `× the time per record at the end, worst value with up to ${large}`,
      ratio(largestOf(...costs), costs.at(-1)),
    ),
    atMost(
      1.3,
      `× the processor time per record at the end, worst value with up to ${large}`,
      ratio(largestOf(...cpu), cpu.at(-1) ?? undefined),
    ),
    atLeast(0.6, '× alone, intake while draining', ratio(draining?.perSecond, alone?.perSecond)),
    atMost(3, '× alone, p99 of intake while draining', ratio(draining?.p99, alone?.p99)),
    atMost(
      100,
      `MB more than an idle gateway with ${large}, maximum`,
      memory?.idle == null || memory.most === undefined ? undefined : memory.most - memory.idle,
    ),
    atMost(2000, `ms from start to the first forwarded record with ${large}`, backlog?.firstForwardedMs),
  ];
}
