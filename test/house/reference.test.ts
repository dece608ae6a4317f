// docs/reference/ is generated from the code. If this fails, run `npm run reference`.

import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Command } from 'commander';
import { expect, test } from 'vitest';

import { makeReference } from '../../build/reference.ts';
import { bindServe } from '../../server/command/serve.ts';
import { makeCommandTable } from '../../server/command/table.ts';
import { flagName, SETTING_NAMES } from '../../server/config.ts';
import { CONSOLE_ERROR_CODES, ERROR_CODES } from '../../server/contract/codes.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/reference');
const reference = makeReference();

test.each([...reference])('docs/reference/%s is current (npm run reference)', (name, text) => {
  expect(readFileSync(join(FOLDER, name), 'utf8')).toBe(text);
});

test('docs/reference has no other files', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual([...reference.keys()].toSorted());
});

test('the reference lists every problem code with its status', () => {
  for (const [code, { status }] of Object.entries({ ...ERROR_CODES, ...CONSOLE_ERROR_CODES }))
    expect(reference.get('problem-codes.md')).toContain(`| ${status} | \`${code}\` |`);
});

test('the reference lists every setting with its meaning', () => {
  const lines = reference.get('settings.md')?.split('\n') ?? [];
  for (const name of SETTING_NAMES)
    expect(lines.find((line) => line.startsWith(`| \`${name}\` |`))).toMatch(/ \| [A-Z][^|]+\. \|$/);
});

test('the reference has every command', () => {
  const names = makeCommandTable().commands.map((command) => command.name());
  expect(names.length).toBeGreaterThan(10);
  for (const name of names)
    expect(reference.get('command-line.md')).toMatch(new RegExp(`^## counterfoil ${name}\\b`, 'm'));
});

test('the reference has every metric that the code names', () => {
  const sources = globSync('server/**/*.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const named = new Set(sources.flatMap((text) => text.match(/(?<=')counterfoil_\w+(?=')/g) ?? []));
  expect(named.size).toBeGreaterThan(10);
  for (const name of named) expect(reference.get('metrics.md')).toContain(`| \`${name}\` |`);
});

test('serve has a flag for every setting', () => {
  const program = new Command();
  bindServe(program);
  const flags = program.commands.flatMap(({ options }) => options.map(({ long }) => long));
  expect(flags).toEqual(expect.arrayContaining(SETTING_NAMES.map(flagName)));
});
