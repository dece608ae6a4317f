/**
 * `npm run bench -- <benchmark> [options]`: measures the speed of the gateway, always beside a known reference. No test
 * asserts speed.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { formatConsole } from './console-report.ts';
import { noChromium } from './console-window.ts';
import { consoleParts, type ConsoleOptions, runConsole } from './console.ts';
import { formatDays } from './days-report.ts';
import { type DaysOptions, daysParts, runDays } from './days.ts';
import { formatDisk } from './disk-report.ts';
import { type DiskOptions, diskParts, planLoads, runDisk } from './disk.ts';
import { formatForward } from './forward-report.ts';
import { type ForwardOptions, forwardParts, runForward } from './forward.ts';
import { type IntakeOptions, type Part, parts, runIntake } from './intake.ts';
import { formatNoisy } from './noisy-report.ts';
import { type NoisyOptions, runNoisy } from './noisy.ts';
import { formatIntake } from './report.ts';
import { formatRescue, type RescueOptions, runRescue } from './rescue.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const usage = `npm run bench -- intake [options]     what tills notice: intake, queries, start, memory
npm run bench -- forward [options]    forwarding: drain, large backlog, intake while draining
npm run bench -- console [options]    what people notice: first paint, filters, scrolling, a window beside the tills
npm run bench -- days [options]       store days: finding a missing sale, reading a year
npm run bench -- noisy [options]      effect of a till that resends large records with other content
npm run bench -- disk [options]       bytes and pages that one sale writes, space of a delivered and of an archived record
npm run bench -- rescue [options]     a salvage of a whole store, and the backup before an update

  --seconds N         length of one measurement of intake (4; noisy: 10)
  --rounds N          number of rounds; the median counts (3)
  --only PART         intake: ${parts.join(', ')}; forward: ${forwardParts.join(', ')};
                      console: ${consoleParts.join(', ')}; days: ${daysParts.join(', ')};
                      disk: ${diskParts.join(', ')}
  --out DIR           folder of the report, as .md and .json (a new temp folder)
  --quick             a smoke run: 1 second, 1 round, few records

intake
  --connections LIST  1,16,64,256
  --sizes LIST        millions of records to fill and query: 0.1,1,10
  --before DIR        compare with the gateway of another checkout, built there
  --store DIR         keep the filled store there and use it again

forward
  --records N         waiting records for the drain (200000)
  --backlog N         waiting records of the large backlog (1000000)

console
  --records N         records in the store (10000000)
  --store DIR         keep the filled store there and use it again

days
  --records N         records in the store for reading (10000000)
  --month N           records in the month with one missing upstream (1000000)
  --store DIR         keep the store for reading there and use it again

noisy
  --before DIR        measure the gateway of another checkout too, built there

disk
  --records N         delivered records at rest (20000)
  --before DIR        measure the gateway of another checkout too, built there

rescue
  --records N         records in the store (1000000)

Data goes to a folder under TMPDIR and is removed at the end.
`;

class UsageError extends Error {}

/** The outcome of a run: the report as Markdown and as data, and whether a part of it failed. */
type Outcome = { markdown: string; result: unknown; hasFailed: boolean };

const names = ['intake', 'forward', 'console', 'days', 'noisy', 'disk', 'rescue'] as const;

type CommandLine = {
  name: (typeof names)[number];
  out: string | undefined;
  run: (workspace: Workspace, command: string) => Promise<Outcome>;
};

function parseCommandLine(): CommandLine {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      connections: { type: 'string', default: '1,16,64,256' },
      sizes: { type: 'string' },
      records: { type: 'string' },
      backlog: { type: 'string' },
      month: { type: 'string' },
      only: { type: 'string' },
      before: { type: 'string' },
      store: { type: 'string' },
      out: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const [first, ...more] = positionals;
  const name = names.find((each) => each === first);
  if (name === undefined || more.length > 0) throw new UsageError(usage);
  const pace = {
    seconds: parseNumber('seconds', values.seconds ?? (values.quick ? '1' : name === 'noisy' ? '10' : '4')),
    rounds: parseCount('rounds', values.rounds ?? (values.quick ? '1' : '3')),
  };
  if (name === 'forward') {
    const options: ForwardOptions = {
      pace,
      records: parseCount('records', values.records ?? (values.quick ? '20000' : '200000')),
      backlog: parseCount('backlog', values.backlog ?? (values.quick ? '50000' : '1000000')),
      only: parsePart(forwardParts, values.only),
    };
    return { name, out: values.out, run: (workspace, command) => forward(workspace, options, command) };
  }
  if (name === 'rescue') {
    const options: RescueOptions = {
      rounds: pace.rounds,
      records: parseCount('records', values.records ?? (values.quick ? '20000' : '1000000')),
    };
    return { name, out: values.out, run: (workspace, command) => rescue(workspace, options, command) };
  }
  const store = values.store === undefined ? undefined : resolve(values.store);
  if (name === 'console') {
    const options: ConsoleOptions = {
      pace,
      records: parseCount('records', values.records ?? (values.quick ? '100000' : '10000000')),
      only: parsePart(consoleParts, values.only),
      store,
    };
    return { name, out: values.out, run: (workspace, command) => lookAtConsole(workspace, options, command) };
  }
  if (name === 'days') {
    const options: DaysOptions = {
      records: parseCount('records', values.records ?? (values.quick ? '100000' : '10000000')),
      month: parseCount('month', values.month ?? (values.quick ? '20000' : '1000000')),
      only: parsePart(daysParts, values.only),
      store,
    };
    return { name, out: values.out, run: (workspace, command) => lookAtDays(workspace, options, command) };
  }
  const before = values.before === undefined ? undefined : resolve(values.before);
  if (name === 'noisy') {
    return { name, out: values.out, run: (workspace, command) => beNoisy(workspace, { pace, before }, command) };
  }
  if (name === 'disk') {
    const options: DiskOptions = {
      rounds: pace.rounds,
      loads: planLoads(values.quick),
      records: parseCount('records', values.records ?? '20000'),
      only: parsePart(diskParts, values.only),
      before,
    };
    return { name, out: values.out, run: (workspace, command) => lookAtDisk(workspace, options, command) };
  }
  const options: IntakeOptions = {
    pace,
    connections: values.connections.split(',').map((text) => parseCount('connections', text)),
    sizes: (values.sizes ?? (values.quick ? '0.1' : '0.1,1,10'))
      .split(',')
      .map((text) => Math.round(parseNumber('sizes', text) * 1e6)),
    only: parsePart(parts, values.only),
    before,
    store,
  };
  return { name, out: values.out, run: (workspace, command) => intake(workspace, options, command) };
}

async function intake(workspace: Workspace, options: IntakeOptions, command: string): Promise<Outcome> {
  const result = await runIntake(workspace, options, command);
  return {
    markdown: formatIntake(result),
    result,
    hasFailed: [
      result.comparison,
      result.footprint,
      result.sizes,
      ...(options.before === undefined ? [] : [result.queriesBefore]),
    ].some(hasFailed),
  };
}

async function forward(workspace: Workspace, options: ForwardOptions, command: string): Promise<Outcome> {
  const result = await runForward(workspace, options, command);
  return {
    markdown: formatForward(result),
    result,
    hasFailed: [result.drain, result.beside, result.backlog].some(hasFailed),
  };
}

async function lookAtConsole(workspace: Workspace, options: ConsoleOptions, command: string): Promise<Outcome> {
  const result = await runConsole(workspace, options, command);
  const { paint, filters, scrolling, window, intake: beside } = result;
  return {
    markdown: formatConsole(result),
    result,
    hasFailed: [paint, filters, scrolling, window, beside].some(hasFailed),
  };
}

async function lookAtDays(workspace: Workspace, options: DaysOptions, command: string): Promise<Outcome> {
  const result = await runDays(workspace, options, command);
  return {
    markdown: formatDays(result),
    result,
    hasFailed: [result.overview, result.finding].some(hasFailed),
  };
}

async function beNoisy(workspace: Workspace, options: NoisyOptions, command: string): Promise<Outcome> {
  const result = await runNoisy(workspace, options, command);
  return { markdown: formatNoisy(result), result, hasFailed: hasFailed(result.resends) };
}

async function rescue(workspace: Workspace, options: RescueOptions, command: string): Promise<Outcome> {
  const result = await runRescue(workspace, options, command);
  return { markdown: formatRescue(result), result, hasFailed: false };
}

async function lookAtDisk(workspace: Workspace, options: DiskOptions, command: string): Promise<Outcome> {
  const result = await runDisk(workspace, options, command);
  return { markdown: formatDisk(result), result, hasFailed: [result.sales, result.rest].some(hasFailed) };
}

/**
 * True if the part failed. A part has not failed if the options left it out, or if it needs a browser and this machine has
 * none.
 */
function hasFailed(part: Part<unknown>): boolean {
  return part.kind === 'not run' && !part.reason.startsWith('--only') && part.reason !== noChromium;
}

function parsePart<Name extends string>(names: readonly Name[], text: string | undefined): Name | undefined {
  const name = names.find((each) => each === text);
  if (text !== undefined && name === undefined) throw new UsageError(`--only must be one of ${names.join(', ')}\n`);
  return name;
}

function parseNumber(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new UsageError(`--${option}: ${text} is not a number above 0\n`);
  return value;
}

function parseCount(option: string, text: string): number {
  const value = parseNumber(option, text);
  if (!Number.isInteger(value)) throw new UsageError(`--${option}: ${text} is not a whole number\n`);
  return value;
}

/**
 * Writes the report as Markdown and as JSON, and returns the folder of both files. By default, creates a new folder that is
 * kept.
 */
function writeReport(folder: string | undefined, name: string, { markdown, result }: Outcome): string {
  const out = folder === undefined ? mkdtempSync(join(tmpdir(), 'counterfoil-bench-report-')) : resolve(folder);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, `${name}.md`), markdown);
  writeFileSync(join(out, `${name}.json`), `${JSON.stringify(result, null, '\t')}\n`);
  return out;
}

async function main(): Promise<void> {
  const { name, out, run } = parseCommandLine();
  const workspace = openWorkspace();
  try {
    const outcome = await run(workspace, `npm run bench -- ${process.argv.slice(2).join(' ')}`);
    const folder = writeReport(out, name, outcome);
    if (out === undefined) process.stdout.write(outcome.markdown);
    process.stderr.write(`report: ${join(folder, `${name}.md`)} and ${name}.json\n`);
    if (outcome.hasFailed) process.exitCode = 1;
  } finally {
    await workspace.close();
  }
}

try {
  await main();
} catch (error) {
  // parseArgs throws a TypeError with a code
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
  process.stderr.write(isUsage ? `${error.message}\n` : `${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
