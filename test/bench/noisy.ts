/**
 * The benchmark of noisy tills: how much they slow down other tills. One or eight noisy tills resend large records with changed
 * content in loops. Two other tills are measured: one sends sales, and one resends a small sale with changed content. Phases
 * with and without noisy tills alternate. The pace of the two measured tills leaves the gateway idle most of the time, like the
 * pace of real tills.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { atMost, type Bar, findClean, ratio } from './bars.ts';
import { addErrors, measureIntake, type Pace } from './comparison.ts';
import { createTillKeys, startGateway } from './gateway.ts';
import { createPartRunner, describeRun, type Part, type Run, valueOf } from './intake.ts';
import type { LoadReport } from './load.ts';
import { median } from './machine.ts';
import type { FromNoisyLoop, NoisyJob } from './noisy-loop.ts';
import type { FromResendingTill, ResendingJob } from './resending-till.ts';
import { asSubject, gatewayBeforeName, gatewayName } from './subjects.ts';
import type { Workspace } from './workspace.ts';

export type NoisyOptions = {
  pace: Pace;
  /** The folder of another checkout with a build. Its gateway is measured too. */
  before: string | undefined;
};

export type NoisyResult = Run & { options: NoisyOptions; resends: Part<NoisyRow[]>; bars: Bar[] };

/** The measurements of the other tills on one gateway. */
export type NoisyRow = {
  name: string;
  /** One summary per phase, in the order of `phases`. */
  sales: QuietSummary[];
  resends: QuietSummary[];
  /** The size of one resend. */
  bytes: number;
  /** The number of answers to the noisy tills in all rounds, by status. */
  answers: Record<string, number>;
};

/** Medians of the rounds. Times are in milliseconds. */
export type QuietSummary = { p50: number; p99: number; max: number; errors: Record<string, number> };

/** The number of loops of each noisy till. */
export const loops = 8;
/** The number of noisy tills in each phase. */
export const phases = [0, 1, 8];
/** The number of members in the body of a noisy till. Such a body has 869 kB. */
const members = 60_000;
export const perSecond = 200;
/** Pause before the measurement. At first, the resends of all loops keep the gateway's main thread busy for seconds. */
const settleMs = 5000;
const noisyProgram = fileURLToPath(new URL('./noisy-loop.ts', import.meta.url));
const resendingProgram = fileURLToPath(new URL('./resending-till.ts', import.meta.url));

/** Runs the selected parts within the workspace; writes progress to stderr. */
export async function runNoisy(workspace: Workspace, options: NoisyOptions, command: string): Promise<NoisyResult> {
  const run = await describeRun(workspace, command);
  const { before, pace } = options;
  const resends = await createPartRunner(undefined)('resends', async () => {
    const rows = [await measureResends(workspace, gatewayName, undefined, pace)];
    if (before !== undefined) rows.push(await measureResends(workspace, gatewayBeforeName, before, pace));
    return rows;
  });
  return { ...run, options, resends, bars: judgeNoisy(valueOf(resends)) };
}

function judgeNoisy(rows: NoisyRow[] | undefined): Bar[] {
  const row = rows?.find(({ name }) => name === gatewayName);
  const judge = (till: string, summaries: QuietSummary[] | undefined): Bar[] => {
    const [alone, ...noisy] = summaries ?? phases.map(() => undefined);
    return noisy.map((summary, i) => {
      const text = `× alone, p99 of ${till} beside ${phases[i + 1]} × ${loops} loops of changed resends`;
      return atMost(2, text, ratio(findClean(summary)?.p99, findClean(alone)?.p99));
    });
  };
  return [...judge('sales', row?.sales), ...judge('small changed resends', row?.resends)];
}

async function measureResends(
  workspace: Workspace,
  name: string,
  checkout: string | undefined,
  pace: Pace,
): Promise<NoisyRow> {
  const data = workspace.makeFolder('gateway');
  const tokens = await createTillKeys(workspace, data, checkout, 2 + Math.max(...phases));
  const [quietToken = '', resendingToken = '', ...noisyTokens] = tokens;
  const sales = phases.map((): QuietRound[] => []);
  const resends = phases.map((): QuietRound[] => []);
  const answers: Record<string, number> = {};
  let bytes = 0;
  for (let round = 1; round <= pace.rounds; round += 1) {
    // a new gateway for each round, because the old one may still be comparing resends
    const gateway = await startGateway(workspace, data, checkout);
    const subject = asSubject(name, gateway, [quietToken]);
    const measure = (seconds: number) => measureIntake(workspace, subject, 1, seconds, perSecond);
    await measure(Math.min(2, pace.seconds));
    for (const [i, tills] of phases.entries()) {
      const jobs = noisyTokens.slice(0, tills).map((token) => ({ ...gateway.address, token, loops, members }));
      const noisy = await Promise.all(jobs.map((job) => startNoisyTill(workspace, job)));
      if (tills > 0) await delay(settleMs);
      const resending = startResendingTill(workspace, { ...gateway.address, token: resendingToken });
      sales[i]?.push(await measure(pace.seconds));
      resends[i]?.push(await resending.stop());
      for (const till of noisy) {
        ({ bytes } = till);
        for (const [status, count] of Object.entries(await till.stop()))
          answers[status] = (answers[status] ?? 0) + count;
      }
    }
    await gateway.stop();
    const told = [sales, resends].map((all) => all.map((rounds) => rounds.at(-1)?.p99.toFixed(1)).join(', '));
    const beside = `alone and beside ${phases.slice(1).join(' and ')} noisy tills`;
    process.stderr.write(`round ${round}, ${name}: p99 ${beside}: sales ${told[0]} ms, small resends ${told[1]} ms\n`);
  }
  return { name, sales: sales.map(summarise), resends: resends.map(summarise), bytes, answers };
}

/** Starts a noisy till. Resolves when its loops have begun. */
async function startNoisyTill(workspace: Workspace, job: NoisyJob) {
  const child = fork(noisyProgram, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const owned = workspace.own(child, 'SIGKILL');
  const next = async () => {
    // the message comes from our own process, so its type is known
    const [message] = (await once(child, 'message')) as [FromNoisyLoop];
    return message;
  };
  child.send(job);
  const kept = await next();
  return {
    bytes: kept.kind === 'kept' ? kept.bytes : 0,
    /** Stops the till. Returns the number of its answers, by status. */
    async stop(): Promise<Record<string, number>> {
      child.send('count');
      const counted = await next();
      await owned.stop();
      return counted.kind === 'counted' ? counted.answers : {};
    },
  };
}

/** Starts the till that resends a small sale. `stop` returns its measurement. */
function startResendingTill(workspace: Workspace, job: ResendingJob): { stop: () => Promise<QuietRound> } {
  const child = fork(resendingProgram, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const owned = workspace.own(child, 'SIGKILL');
  child.send(job);
  return {
    async stop() {
      child.send('stop');
      // the message comes from our own process, so its type is known
      const [{ ms, errors }] = (await once(child, 'message')) as [FromResendingTill];
      await owned.stop();
      const sorted = ms.toSorted((a, b) => a - b);
      const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
      return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN, errors };
    },
  };
}

type QuietRound = Pick<LoadReport, 'p50' | 'p99' | 'max' | 'errors'>;

function summarise(reports: QuietRound[]): QuietSummary {
  return {
    p50: median(reports.map(({ p50 }) => p50)),
    p99: median(reports.map(({ p99 }) => p99)),
    max: Math.max(...reports.map(({ max }) => max)),
    errors: addErrors(reports),
  };
}
