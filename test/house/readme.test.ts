import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { SETTING_NAMES, variableName } from '../../server/config.ts';
import { ERROR_CODES } from '../../server/contract.ts';

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

test('the README lists exactly the error codes of the contract', () => {
  const expected = Object.entries(ERROR_CODES).map(([code, { status, title }]) => [String(status), code, title]);
  expect(tableUnder('Refusals')).toEqual(expected);
});

test('the README lists exactly the settings, with their variables', () => {
  const settings = tableUnder('Settings').filter(([name]) => name !== '');
  expect(settings.map(([name, , variable]) => [name, variable])).toEqual(
    SETTING_NAMES.map((name) => [name, variableName(name)]),
  );
});
