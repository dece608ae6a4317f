import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Command } from 'commander';
import { expect, test } from 'vitest';

import { bindServe } from '../../server/command/serve.ts';
import { flagName, SETTING_NAMES, variableName } from '../../server/config.ts';
import { CONSOLE_ERROR_CODES, ERROR_CODES } from '../../server/contract/codes.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

/** The rows of the table under a heading, as cells without backticks. */
function tableUnder(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
}

test.each([
  ['Refusals', ERROR_CODES],
  ['Console', CONSOLE_ERROR_CODES],
])('under %s the README lists exactly the error codes of the contract', (heading, codes) => {
  const all: [string, { readonly status: number; readonly title: string }][] = Object.entries(codes);
  const expected = all.map(([code, { status, title }]) => [String(status), code, title]);
  expect(tableUnder(heading)).toEqual(expected);
});

test('the README lists exactly the settings, with their flags and variables', () => {
  const settings = tableUnder('Settings').filter(([name]) => name !== '');
  expect(settings.map(([name, flag, variable]) => [name, flag, variable])).toEqual(
    SETTING_NAMES.map((name) => [name, flagName(name), variableName(name)]),
  );
});

test('serve has a flag for every setting', () => {
  const program = new Command();
  bindServe(program);
  const flags = program.commands.flatMap(({ options }) => options.map(({ long }) => long));
  expect(flags).toEqual(expect.arrayContaining(SETTING_NAMES.map(flagName)));
});
