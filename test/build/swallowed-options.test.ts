// npm takes options for itself if `--` is missing before them. The start script then prints the command line that the user
// meant.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Command } from 'commander';
import { expect, test } from 'vitest';

import { findMeantCommand, OPTIONS } from '../../build/swallowed-options.mjs';
import { makeCommandTable } from '../../server/command/table.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { makeCheckout, run } from '../support/toy-checkout.ts';

const started = { npm_lifecycle_event: 'start' };
const ran = { npm_lifecycle_event: 'counterfoil' };

test.each<[typed: string, npm: string[], meant: string]>([
  ['npm start --demo', ['start', '--demo'], 'npm start -- --demo'],
  ['npm start --json --port 7500', ['start', '--json', '--port', '7500'], 'npm start -- --json --port 7500'],
  ['npm run counterfoil', ['run', '-s', 'counterfoil', 'status', '--json'], 'npm run -s counterfoil -- status --json'],
])('%s without -- stops with 2 and the correct command line', (_typed, npm, meant) => {
  const checkout = makeCheckout();
  const scripts = { start: 'node build/run.mjs start', counterfoil: 'node build/run.mjs run' };
  writeFileSync(join(checkout, 'package.json'), JSON.stringify({ type: 'module', scripts }));
  const { status, stdout, stderr } = spawnSync('npm', [...npm], { cwd: checkout, encoding: 'utf8', timeout: 100_000 });
  expect(status).toBe(2);
  expect(stderr).toContain(`npm kept options that are meant for Counterfoil. Put -- in front of them:\n  ${meant}\n`);
  expect(stdout).not.toContain('"args"');
});

test.each<[rule: string, role: string, args: string[], env: NodeJS.ProcessEnv, meant: string | undefined]>([
  ['no option was kept', 'start', ['--port', '0'], started, undefined],
  ['a build accepts none of them', 'build', [], { npm_lifecycle_event: 'start', npm_config_json: 'true' }, undefined],
  ['another script of npm kept it', 'start', [], { npm_lifecycle_event: 'test', npm_config_json: 'true' }, undefined],
  [
    'values given with = are kept whole',
    'start',
    [],
    { ...started, npm_config_port: '7500', npm_config_demo: 'down for 5s' },
    "npm start -- --demo 'down for 5s' --port 7500",
  ],
  [
    'a demo script follows the option',
    'start',
    ['down for 5s'],
    { ...started, npm_config_demo: 'true' },
    "npm start -- --demo 'down for 5s'",
  ],
  [
    'it does not guess which value belongs to which option',
    'run',
    ['records', 'Bakery', '5'],
    { ...ran, npm_config_administration: 'true', npm_config_limit: 'true' },
    'npm run -s counterfoil -- records Bakery 5 --administration <value> --limit <value>',
  ],
  [
    'the last word after a command is the value of the only option',
    'run',
    ['records', 'ERROR'],
    { ...ran, npm_config_status: 'true' },
    'npm run -s counterfoil -- records --status ERROR',
  ],
  [
    'a secret is never printed',
    'run',
    ['upstream', 'set'],
    { ...ran, npm_config_token: 'prod_canary' },
    'npm run -s counterfoil -- upstream set --token <value>',
  ],
  [
    'a negated option counts too',
    'run',
    ['administrations', 'set'],
    { ...ran, npm_config_customer: '' },
    'npm run -s counterfoil -- administrations set --no-customer',
  ],
])('%s', (_rule, role, args, env, meant) => {
  expect(findMeantCommand(role, args, env)).toBe(meant);
});

test('a setting in npm’s own file is not a typed option', () => {
  const file = join(temporaryFolder(), '.npmrc');
  writeFileSync(file, 'fund=false\njson = true\n');
  const env = { ...started, npm_config_json: 'true', npm_config_userconfig: file };
  expect(findMeantCommand('start', [], env)).toBeUndefined();
});

test('an option after -- reaches the command line', async () => {
  const { code } = await run(makeCheckout(), ['run', 'status', '--json'], { variables: ran });
  expect(code).toBe(5);
});

test('the list of options matches the commands', () => {
  const found: Record<string, string> = {};
  const collect = (command: Command): void => {
    for (const { long, required, optional } of command.options)
      found[(long ?? '').slice(2)] = required ? 'value' : optional ? 'optional value' : 'no value';
    command.commands.forEach(collect);
  };
  collect(makeCommandTable());
  delete found['version']; // npm itself answers this option
  expect(OPTIONS).toEqual(found);
});
