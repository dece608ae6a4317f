/**
 * The intake benchmark: durable intake beside the alternatives, the footprint of the gateway alone, and the effect of a
 * growing store. If a part cannot run, the result states the reason and the other parts still run.
 */
import { type Bar, judge } from './bars.ts';
import { compareIntake, type Measured, type Pace } from './comparison.ts';
import { type Footprint, measureFootprint } from './footprint.ts';
import { findGatewayEntry } from './gateway.ts';
import type { Absent } from './load.ts';
import { describeMachine, type Machine } from './machine.ts';
import { type ComparedQueries, compareWithBefore, measureSizes, type SizesReport } from './store-size.ts';
import { startSubjects } from './subjects.ts';
import type { Workspace } from './workspace.ts';

export const parts = ['http', 'memory', 'query'] as const;

export type IntakeOptions = {
  pace: Pace;
  connections: number[];
  /** The sizes of the growing store, in records. */
  sizes: number[];
  only: (typeof parts)[number] | undefined;
  /** The folder of another checkout with a build. Its gateway is measured too. */
  before: string | undefined;
  /** Folder that keeps the filled store for the next run. */
  store: string | undefined;
};

export type Part<Value> = { kind: 'measured'; value: Value } | { kind: 'not run'; reason: string };

export type Comparison = { rows: Measured[]; absent: Absent[] };

/** The command of a run, its time and its machine. */
export type Run = { command: string; startedAt: string; machine: Machine; gateway: string };

export type IntakeResult = Run & {
  options: IntakeOptions;
  comparison: Part<Comparison>;
  footprint: Part<Footprint>;
  sizes: Part<SizesReport>;
  /** The cost of the queries, compared with the gateway of the other checkout. */
  queriesBefore: Part<ComparedQueries>;
  bars: Bar[];
};

/**
 * Runs the selected parts within the workspace; writes progress to stderr. Throws only when the machine cannot be described.
 */
export async function runIntake(workspace: Workspace, options: IntakeOptions, command: string): Promise<IntakeResult> {
  const run = await describeRun(workspace, command);
  const runPart = createPartRunner(options.only);
  const { pace, connections, sizes, before, store } = options;
  const comparison = await runPart('http', () => compareAll(workspace, connections, pace, before));
  const footprint = await runPart('memory', () => measureFootprint(workspace, pace.seconds));
  const bySize = await runPart('query', () => measureSizes(workspace, sizes, pace, store));
  const queriesBefore: Part<ComparedQueries> =
    before === undefined
      ? { kind: 'not run', reason: 'no --before' }
      : await runPart('query', () => compareWithBefore(workspace, before, sizes[0] ?? 0, pace.rounds));
  const bars = judge(valueOf(comparison)?.rows, valueOf(footprint), valueOf(bySize), valueOf(queriesBefore));
  return { ...run, options, comparison, footprint, sizes: bySize, queriesBefore, bars };
}

async function compareAll(
  workspace: Workspace,
  connections: number[],
  pace: Pace,
  before: string | undefined,
): Promise<Comparison> {
  const subjects = await startSubjects(workspace, before);
  const running = subjects.filter((subject) => subject.kind === 'running');
  const absent = subjects.filter((subject) => subject.kind === 'absent');
  for (const { name, reason } of absent) process.stderr.write(`${name}: not run: ${reason}\n`);
  try {
    return { rows: await compareIntake(workspace, running, connections, pace), absent };
  } finally {
    await Promise.all(running.map((subject) => subject.stop()));
  }
}

export async function describeRun(workspace: Workspace, command: string): Promise<Run> {
  const startedAt = new Date().toISOString();
  const machine = await describeMachine(workspace.folder);
  const gateway = describeGateway();
  process.stderr.write(`the gateway is ${gateway}\n`);
  return { command, startedAt, machine, gateway };
}

/**
 * Returns a function that runs a part of the benchmark. Skips the part if `only` names a different part. If the part fails, the
 * result states the reason.
 */
export function createPartRunner(only: string | undefined) {
  return async <Value>(part: string, measure: () => Promise<Value>): Promise<Part<Value>> => {
    if (only !== undefined && only !== part) return { kind: 'not run', reason: `--only ${only}` };
    try {
      return { kind: 'measured', value: await measure() };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${part}: not run: ${reason}\n`);
      return { kind: 'not run', reason };
    }
  };
}

export function valueOf<Value>(part: Part<Value>): Value | undefined {
  return part.kind === 'measured' ? part.value : undefined;
}

function describeGateway(): string {
  try {
    return findGatewayEntry().note;
  } catch (error) {
    return String(error);
  }
}
