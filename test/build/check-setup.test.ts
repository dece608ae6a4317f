// Tests the check that runs before the tests, on our lock file and on copies of it with one fault each.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { temporaryFolder } from '../support/temp-store.ts';

const root = join(import.meta.dirname, '../..');
const lockFile = readFileSync(join(root, 'package-lock.json'), 'utf8');

function check(lock: string): { status: number | null; stderr: string } {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'build'));
  cpSync(join(root, 'build/check-setup.mjs'), join(folder, 'build/check-setup.mjs'));
  writeFileSync(join(folder, 'package-lock.json'), lock);
  return spawnSync(process.execPath, [join(folder, 'build/check-setup.mjs')], { encoding: 'utf8' });
}

test('our lock file passes', () => {
  expect(check(lockFile)).toMatchObject({ status: 0, stderr: '' });
});

test.each([
  [
    'without a package for another system',
    /"node_modules\/(@oxlint\/binding-darwin-arm64)"/,
    '"node_modules/x"',
    '@oxlint/binding-darwin-arm64',
  ],
  ['with an address to fetch from', /"version": "13\.2\.0",/, '$&"resolved": "x",', 'node_modules/better-sqlite3'],
  ['with an older better-sqlite3', /"version": "13\.2\.0",/, '"version": "12.11.1",', '12.11.1'],
])('a lock file %s is refused with its name', (_name, where, planted, named) => {
  const { status, stderr } = check(lockFile.replace(where, planted));
  expect(status).toBe(1);
  expect(stderr).toContain(named);
});
