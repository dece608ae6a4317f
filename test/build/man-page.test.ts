// The man page is complete, and groff can read it.

import { spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { makeManPage } from '../../build/man-page.ts';
import { makeCommandTable } from '../../server/command/table.ts';
import { listCommands } from '../support/command-list.ts';

const page = makeManPage(makeCommandTable());

test('the man page has every command with its options, and the exit codes', () => {
  const plain = page.replace(/\\-/g, '-');
  for (const { path, command } of listCommands().filter((each) => each.command.commands.length === 0)) {
    expect(plain).toContain(`.SS counterfoil ${path}`);
    for (const { flags } of command.options) expect(plain).toContain(`.B ${flags}\n`);
  }
  expect(plain).toContain('.SH EXIT STATUS\n.TP\n.B 0\ndone\n');
});

test('groff reads the man page without a warning', ({ skip }) => {
  const { error, status, stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-Kutf8', '-P-cbou'], {
    input: page,
    encoding: 'utf8',
  });
  if (error !== undefined) return skip('not run: groff is not installed');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('--if-missing');
});
