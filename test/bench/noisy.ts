/**
 * The benchmark of a noisy till: what another till notices while one resends large records with other content in loops. Alone and
 * beside it, in turns on one gateway, at a pace that leaves the gateway idle most of the time, as tills do.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { atMost, type Bar, findClean, ratio } from './bars.ts';
import { measureIntake, type Pace } from './comparison.ts';
import { createTillKeys, startGateway } from './gateway.ts';
import { createPartRunner, describeRun, type Part, type Run, valueOf } from './intake.ts';
import type { LoadReport } from './load.ts';
import { median } from './machine.ts';
import type { FromNoisyLoop, NoisyJob } from './noisy-loop.ts';
import { asSubject, gatewayBeforeName, gatewayName } from './subjects.ts';
import type { Workspace } from './workspace.ts';

export type NoisyOptions = {
  pace: Pace;
  /** Another checkout, built, whose gateway is measured too. */
  before: string | undefined;
};

export type NoisyResult = Run & { options: NoisyOptions; resends: Part<NoisyRow[]>; bars: Bar[] };

/** What the other till saw of one gateway. */
export type NoisyRow = {
  name: string;
  alone: QuietSummary;
  noisy: QuietSummary;
  /** Of one resend. */
  bytes: number;
  /** What the noisy till was answered, in all rounds. */
  answers: Record<string, number>;
};

/** Medians of the rounds. */
export type QuietSummary = { p50: number; p99: number; max: number; errors: Record<string, number> };

export const loops = 8;
/** 869 kB a body. */
const members = 60_000;
export const perSecond = 200;
const program = fileURLToPath(new URL('./noisy-loop.ts', import.meta.url));

/** Runs what the options ask for, within the workspace; progress goes to stderr. */
export async function runNoisy(workspace: Workspace, options: NoisyOptions, command: string): Promise<NoisyResult> {
  const run = await describeRun(workspace, command);
  const { before, pace } = options;
  const resends = await createPartRunner(undefined)('resends', async () => {
    const rows = [await measureResends(workspace, gatewayName, undefined, pace)];
    if (before !== undefined) rows.push(await measureResends(workspace, gatewayBeforeName, before, pace));
    return rows;
  });
  return { ...run, options, resends, bars: [judgeNoisy(valueOf(resends))] };
}

function judgeNoisy(rows: NoisyRow[] | undefined): Bar {
  const row = rows?.find(({ name }) => name === gatewayName);
  const text = `× alone, p99 of a till beside ${loops} loops of changed resends`;
  return atMost(2, text, ratio(findClean(row?.noisy)?.p99, findClean(row?.alone)?.p99));
}

async function measureResends(
  workspace: Workspace,
  name: string,
  checkout: string | undefined,
  pace: Pace,
): Promise<NoisyRow> {
  const data = workspace.makeFolder('gateway');
  const [noisyToken = '', quietToken = ''] = await createTillKeys(workspace, data, checkout);
  const gateway = await startGateway(workspace, data, checkout);
  const subject = asSubject(name, gateway, [quietToken]);
  const measure = (seconds: number) => measureIntake(workspace, subject, 1, seconds, perSecond);
  await measure(Math.min(2, pace.seconds));
  const [alone, noisy]: [LoadReport[], LoadReport[]] = [[], []];
  const answers: Record<string, number> = {};
  let bytes = 0;
  for (let round = 1; round <= pace.rounds; round += 1) {
    alone.push(await measure(pace.seconds));
    const till = await startNoisyTill(workspace, { ...gateway.address, token: noisyToken, loops, members });
    noisy.push(await measure(pace.seconds));
    ({ bytes } = till);
    for (const [status, count] of Object.entries(await till.stop())) answers[status] = (answers[status] ?? 0) + count;
    const [before, after] = [alone, noisy].map((reports) => reports.at(-1)?.p99.toFixed(2));
    process.stderr.write(`round ${round}, ${name}: p99 alone ${before} ms, beside the noisy till ${after} ms\n`);
  }
  await gateway.stop();
  return { name, alone: summarise(alone), noisy: summarise(noisy), bytes, answers };
}

/** Resolves when the loops have begun. */
async function startNoisyTill(workspace: Workspace, job: NoisyJob) {
  const child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const owned = workspace.own(child, 'SIGKILL');
  const next = async () => {
    const [message] = (await once(child, 'message')) as [FromNoisyLoop]; // our own process, our own type
    return message;
  };
  child.send(job);
  const kept = await next();
  return {
    bytes: kept.kind === 'kept' ? kept.bytes : 0,
    /** Gives the answers so far, by status. */
    async stop(): Promise<Record<string, number>> {
      child.send('count');
      const counted = await next();
      await owned.stop();
      return counted.kind === 'counted' ? counted.answers : {};
    },
  };
}

function summarise(reports: LoadReport[]): QuietSummary {
  const errors: Record<string, number> = {};
  for (const [reason, count] of reports.flatMap((report) => Object.entries(report.errors)))
    errors[reason] = (errors[reason] ?? 0) + count;
  return {
    p50: median(reports.map(({ p50 }) => p50)),
    p99: median(reports.map(({ p99 }) => p99)),
    max: Math.max(...reports.map(({ max }) => max)),
    errors,
  };
}
