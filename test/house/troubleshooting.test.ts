// docs/troubleshooting.md must quote messages exactly. Each quoted message must occur in the code, and each error code in the
// contract.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ERROR_CODES } from '../../server/contract/codes.ts';

const ROOT = join(import.meta.dirname, '../..');
const rows = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| (`|…)/.test(line))
  .map((line) => line.slice(2, -2).split(' | '));
const sources = globSync(['server/**/*.ts', 'build/*.mjs'], { cwd: ROOT })
  .map((file) => readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'"))
  .join('\n');

const codes = rows.filter((cells) => cells.length === 3).map(([cell = '']) => cell.slice(1, -1));
const messages = rows
  .map((cells) => (cells.length === 3 ? (cells[1] ?? '') : (cells[0] ?? '')).trim())
  .filter((cell) => cell !== '')
  .map((cell) => cell.slice(1, -1));

/** Whether the sources contain a message. `…` in it matches anything on the same line, such as `${port}`. */
function isInSources(message: string): boolean {
  const pieces = message.split('…').map((piece) => RegExp.escape(piece));
  return new RegExp(pieces.join('.{1,150}?')).test(sources);
}

test('the table is read', () => {
  expect(messages.length).toBeGreaterThan(35);
  expect(isInSources('Port … is used by a program that nobody wrote.')).toBe(false);
});

test.each(messages)('the code contains the quoted message: %s', (message) => {
  expect(isInSources(message)).toBe(true);
});

test.each(codes)('the contract contains the code: %s', (code) => {
  expect(Object.keys(ERROR_CODES)).toContain(code);
});
