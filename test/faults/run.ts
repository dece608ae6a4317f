// Runs the tests of the promises in promises.ts and prints a table: `npm run test:faults -- [--tier nightly] [--row R2,R9]`.
// --rig runs only tests with this text in their path. With --count, a row runs its first such test, because other tests have
// other numbers. With --planted, plants a fault for each promise, and expects that its tests fail.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { findPlanted, PLANTED } from './planted.ts';
import { PROMISES } from './promises.ts';
import { TIERS } from './tier.ts';

const ROOT = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    tier: { type: 'string', default: 'commit' },
    row: { type: 'string' },
    rig: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    planted: { type: 'boolean', default: false },
  },
});
const { tier, row, rig, seed, count, planted } = values;
if (!TIERS.some((each) => each === tier)) throw new Error(`--tier is one of ${TIERS.join(', ')}`);
const rows = row?.split(',');
const unknown = rows?.filter((id) => !PROMISES.some((promise) => promise.id === id)) ?? [];
if (unknown.length > 0) throw new Error(`--row names no promise: ${unknown.join(', ')}`);
if (count !== undefined && rows?.length !== 1) throw new Error('--count needs --row with one row');

if (planted) runPlanted();
else runTests();

function runPlanted(): void {
  for (const fault of PLANTED) {
    if (rows?.includes(fault.row) === false) continue;
    const found = findPlanted(ROOT, fault);
    console.log(
      `${fault.row.padEnd(4)}${found === undefined ? 'NOT FOUND' : 'found'}: a fault in ${fault.file}; ${found ?? ''}`,
    );
    if (found === undefined) process.exitCode = 1;
  }
}

function runTests(): void {
  const chosen = PROMISES.filter(({ id }) => rows?.includes(id) ?? true).flatMap(({ tests }) => {
    const wanted = tests.filter((file) => file.includes(rig));
    return count === undefined ? wanted : wanted.slice(0, 1);
  });
  const files = [...new Set(chosen)];
  if (files.length === 0) throw new Error(`--rig names no test: ${rig}`);
  const args = [
    '--project=!package',
    ...(tier === 'commit' ? [] : ['--maxWorkers=1']), // other tests would spoil the times, which these tiers judge
    '--reporter=dot',
    '--reporter=json',
    '--outputFile.json=test-results/vitest.json',
    `--reporter=${join(import.meta.dirname, 'table.ts')}`,
  ];
  const { status } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...args, ...files],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: {
        ...process.env,
        FAULTS_TIER: tier,
        FAULTS_SEED: seed,
        FAULTS_FILES: files.join(','),
        ...(count !== undefined && { FAULTS_COUNT: count }),
        ...(row !== undefined && { FAULTS_ROWS: row }),
      },
    },
  );
  process.exitCode = status ?? 1;
}
