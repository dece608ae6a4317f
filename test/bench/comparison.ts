/**
 * Measures the intake of the gateway and of its alternatives in one run, at every number of connections. The measurement works
 * in rounds, so that other load on the machine affects the gateway and the alternatives alike. Their order rotates each round.
 * The result is the median of the rounds.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { type LoadReport, type Running, runLoad } from './load.ts';
import { median } from './machine.ts';
import type { Workspace } from './workspace.ts';

export type Measured = { name: string; connections: number; rounds: LoadReport[]; summary: Summary };

/**
 * Medians of the rounds, except three fields. `spread` is (largest − smallest) ÷ median of the rates. `others` is the largest share
 * of the machine that other programs used in a round. `errors` adds up the errors of all rounds by reason.
 */
export type Summary = {
  perSecond: number;
  p50: number;
  p99: number;
  spread: number;
  subjectCpu: number | null;
  generatorBusy: number;
  others: number | null;
  errors: Record<string, number>;
};

export type Pace = { seconds: number; rounds: number };

const pauseMs = 300;
const attempts = 3;
/** If other processes use more than this share of the processor time, a measurement is not reliable. */
export const disturbedShare = 0.1;
const disturbedPauseMs = 2000;
const warmUpConnections = 16;
const warmUpSeconds = 1.5;
let loads = 0;

/** Measures all subjects; writes progress to stderr. */
export async function compareIntake(
  workspace: Workspace,
  subjects: Running[],
  connectionCounts: number[],
  pace: Pace,
): Promise<Measured[]> {
  const rows = connectionCounts.flatMap((connections) =>
    subjects.map((subject) => ({ subject, connections, rounds: [] as LoadReport[] })),
  );
  for (const subject of subjects) await measureIntake(workspace, subject, warmUpConnections, warmUpSeconds); // compiles their code
  for (let round = 0; round < pace.rounds; round += 1) {
    const turned = connectionCounts.flatMap((connections) => {
      const group = rows.filter((row) => row.connections === connections);
      const first = round % group.length;
      return [...group.slice(first), ...group.slice(0, first)];
    });
    for (const { subject, connections, rounds } of turned) {
      const report = await measureUndisturbed(() => measureIntake(workspace, subject, connections, pace.seconds));
      rounds.push(report);
      const rate = `${Math.round(report.perSecond)}/s, p99 ${report.p99.toFixed(2)} ms`;
      process.stderr.write(`round ${round + 1}, ${connections} connections, ${subject.name}: ${rate}\n`);
    }
  }
  return rows.map(({ subject, connections, rounds }) => ({
    name: subject.name,
    connections,
    rounds,
    summary: summariseRounds(rounds),
  }));
}

/**
 * Measures again if other processes used much processor time, whatever the result was. Returns the least disturbed measurement.
 */
export async function measureUndisturbed<Report extends { others: number | null }>(
  measure: () => Promise<Report>,
): Promise<Report> {
  let best = await measure();
  for (let attempt = 1; attempt < attempts && (best.others ?? 0) > disturbedShare; attempt += 1) {
    process.stderr.write(`something else used ${Math.round((best.others ?? 0) * 100)} % of the machine; once more
`);
    await delay(disturbedPauseMs);
    const again = await measure();
    if ((again.others ?? 0) < (best.others ?? 0)) best = again;
  }
  return best;
}

/**
 * Takes one measurement, at full speed or at a given rate. A warm-up comes first: a quarter of the time, at least half a
 * second.
 */
export async function measureIntake(
  workspace: Workspace,
  subject: Running,
  connections: number,
  seconds: number,
  perSecond?: number,
): Promise<LoadReport> {
  await delay(pauseMs);
  loads += 1;
  return runLoad(workspace, {
    target: subject.target,
    connections,
    ...(perSecond !== undefined && { perSecond }),
    records: { idPrefix: `load${loads}-${Date.now().toString(36)}`, first: 0, time: { kind: 'now' } },
    until: { kind: 'seconds', warmUp: Math.max(0.5, seconds / 4), seconds },
    watchPid: subject.pid,
  });
}

function summariseRounds(rounds: LoadReport[]): Summary {
  const rates = rounds.map((round) => round.perSecond);
  const subjectCpu = rounds.map((round) => round.subjectCpu).filter((cpu) => cpu !== null);
  const others = rounds.map((round) => round.others).filter((share) => share !== null);
  return {
    perSecond: median(rates),
    p50: median(rounds.map((round) => round.p50)),
    p99: median(rounds.map((round) => round.p99)),
    spread: (Math.max(...rates) - Math.min(...rates)) / median(rates),
    subjectCpu: subjectCpu.length === 0 ? null : median(subjectCpu),
    generatorBusy: median(rounds.map((round) => round.generatorBusy)),
    others: others.length === 0 ? null : Math.max(...others),
    errors: addErrors(rounds),
  };
}

/** The errors of all rounds, by reason. */
export function addErrors(rounds: { errors: Record<string, number> }[]): Record<string, number> {
  const errors: Record<string, number> = {};
  for (const [reason, count] of rounds.flatMap((round) => Object.entries(round.errors))) {
    errors[reason] = (errors[reason] ?? 0) + count;
  }
  return errors;
}
