// docs/reliability.md names a test for each promise: the file is there, and the test has that name.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const rows = readFileSync(join(ROOT, 'docs/reliability.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| (.+?) \| `(test\/[^`]+)`: (.+?) \| (.+?) \|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, promise = '', file = '', name = '']) => [promise, file, name] as const);

test('there are promises', () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(rows)('%s', (_promise, file, name) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(name);
});
