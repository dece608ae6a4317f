/** `npm run bench -- <benchmark> [options]`: the speed of the gateway, always beside something known. Speed is never asserted in a test. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { type IntakeOptions, parts, runIntake } from './intake.ts';
import { formatIntake } from './report.ts';
import { openWorkspace } from './workspace.ts';

const usage = `npm run bench -- intake [options]

  --seconds N         length of one measurement (4)
  --rounds N          rounds, of which the median counts (3)
  --connections LIST  1,16,64,256
  --sizes LIST        millions of records to fill and query: 0.1,1,10
  --only PART         ${parts.join(', ')}
  --before DIR        compare with the gateway of another checkout, built there
  --store DIR         keep the filled store there and use it again
  --out DIR           where intake.md and intake.json go (a new temp folder)
  --quick             a smoke run: 1 second, 1 round, 0.1 million records

Data goes to a folder under TMPDIR and is removed at the end.
`;

class UsageError extends Error {}

function parseCommandLine(): { options: IntakeOptions; out: string | undefined } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      connections: { type: 'string', default: '1,16,64,256' },
      sizes: { type: 'string' },
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
  if (positionals.length !== 1 || positionals[0] !== 'intake') throw new UsageError(usage);
  const only = parts.find((part) => part === values.only);
  if (values.only !== undefined && only === undefined)
    throw new UsageError(`--only takes one of ${parts.join(', ')}\n`);
  const [seconds, rounds, sizes] = values.quick ? ['1', '1', '0.1'] : ['4', '3', '0.1,1,10'];
  const store = values.store === undefined ? undefined : resolve(values.store);
  const before = values.before === undefined ? undefined : resolve(values.before);
  const options: IntakeOptions = {
    pace: {
      seconds: parseNumber('seconds', values.seconds ?? seconds),
      rounds: parseCount('rounds', values.rounds ?? rounds),
    },
    connections: values.connections.split(',').map((text) => parseCount('connections', text)),
    sizes: (values.sizes ?? sizes).split(',').map((text) => Math.round(parseNumber('sizes', text) * 1e6)),
    only,
    before,
    store,
  };
  return { options, out: values.out };
}

function parseNumber(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new UsageError(`--${option}: ${text} is no number above 0\n`);
  return value;
}

function parseCount(option: string, text: string): number {
  const value = parseNumber(option, text);
  if (!Number.isInteger(value)) throw new UsageError(`--${option}: ${text} is no whole number\n`);
  return value;
}

/** Writes both forms of the report and gives their folder; without one given, in a new folder that stays. */
function writeReport(folder: string | undefined, markdown: string, result: unknown): string {
  const out = folder === undefined ? mkdtempSync(join(tmpdir(), 'counterfoil-bench-report-')) : resolve(folder);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'intake.md'), markdown);
  writeFileSync(join(out, 'intake.json'), `${JSON.stringify(result, null, '\t')}\n`);
  return out;
}

async function main(): Promise<void> {
  const { options, out } = parseCommandLine();
  const workspace = openWorkspace();
  try {
    const result = await runIntake(workspace, options, `npm run bench -- ${process.argv.slice(2).join(' ')}`);
    const markdown = formatIntake(result);
    const folder = writeReport(out, markdown, result);
    if (out === undefined) process.stdout.write(markdown);
    process.stderr.write(`report: ${join(folder, 'intake.md')} and intake.json\n`);
    const failed = [result.comparison, result.footprint, result.sizes].some(
      (part) => part.kind === 'not run' && !part.reason.startsWith('--only'),
    );
    if (failed) process.exitCode = 1;
  } finally {
    await workspace.close();
  }
}

try {
  await main();
} catch (error) {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error); // parseArgs throws the latter
  process.stderr.write(isUsage ? `${error.message}\n` : `${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
