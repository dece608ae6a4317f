// Runs the tests of the promises in promises.ts and prints a table: `npm run test:faults -- [--tier nightly] [--row R2,R9]`.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { PROMISES } from './promises.ts';
import { TIERS } from './tier.ts';

const ROOT = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    tier: { type: 'string', default: 'commit' },
    row: { type: 'string' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
  },
});
const { tier, row, seed, count } = values;
if (!TIERS.some((each) => each === tier)) throw new Error(`--tier is one of ${TIERS.join(', ')}`);
const rows = row?.split(',');
const unknown = rows?.filter((id) => !PROMISES.some((promise) => promise.id === id)) ?? [];
if (unknown.length > 0) throw new Error(`--row names no promise: ${unknown.join(', ')}`);
if (count !== undefined && rows?.length !== 1) throw new Error('--count needs --row with one row');

const files = PROMISES.filter(({ id }) => rows?.includes(id) ?? true).flatMap(({ tests }) => tests);
const args = ['--project=!package', '--reporter=dot', `--reporter=${join(import.meta.dirname, 'table.ts')}`];
const { status } = spawnSync(
  process.execPath,
  [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...args, ...new Set(files)],
  {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      COUNTERFOIL_TIER: tier,
      COUNTERFOIL_SEED: seed,
      ...(count !== undefined && { COUNTERFOIL_COUNT: count }),
      ...(row !== undefined && { COUNTERFOIL_ROWS: row }),
    },
  },
);
process.exitCode = status ?? 1;
