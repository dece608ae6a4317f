// The quotes of an argument in a printed command.

import { spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { shellArgument } from '../../../server/lib/shell-argument.ts';

const NAMES = [
  'Bakery',
  'Bakery No. 2 & Sons',
  'a "b" c',
  "Joe's",
  '$(touch x)',
  '`id`',
  '$HOME',
  'back\\slash',
  "'; id '",
  '!!',
];

test.skipIf(process.platform === 'win32').each(NAMES)('a shell reads the name %j as it is', (name) => {
  const { stdout } = spawnSync('sh', ['-c', `printf %s ${shellArgument(name)}`], { encoding: 'utf8' });
  expect(stdout).toBe(name);
});

test('on Windows a name with a meaning for PowerShell has single quotes, and a path keeps double ones', () => {
  expect(shellArgument("Joe's $(id)", 'win32')).toBe("'Joe''s $(id)'");
  expect(shellArgument('C:\\My data', 'win32')).toBe('"C:\\My data"');
});
