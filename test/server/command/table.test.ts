// The table of commands as users meet it: help, version, completion and the man page.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Command, CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';

import { makeManPage } from '../../../build/man-page.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { makeCompletion } from '../../../server/command/completion.ts';
import { makeCommandTable } from '../../../server/command/table.ts';
import { temporaryFolder } from '../../support/temp-store.ts';

/** What a call prints on standard output. */
function printOf(...args: string[]): string {
  let printed = '';
  const program = makeCommandTable();
  const capture = (command: Command): void => {
    command.configureOutput({ writeOut: (text) => void (printed += text) });
    command.commands.forEach(capture);
  };
  capture(program);
  expect(() => program.parse(args, { from: 'user' })).toThrow(CommanderError);
  return printed;
}

test.each(['-V', '--version'])('%s prints the version', (flag) => {
  expect(printOf(flag)).toBe(`${packageJson.version}\n`);
});

test.each([[['--help']], [['keys', 'create', '--help']], [['reconcile', '--help']]])(
  'the help names the exit codes: %j',
  (args) => {
    const help = printOf(...args);
    expect(help).toContain('Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a store day differs.');
  },
);

/** Each command with the words that lead to it. */
function listCommands(
  command = makeCommandTable(),
  path: readonly string[] = [],
): { path: string; command: Command }[] {
  const below = command.commands.flatMap((each) => listCommands(each, [...path, each.name()]));
  return [{ path: path.join(' '), command }, ...below];
}

describe('completion', () => {
  /** What bash offers for the last word. */
  function complete(...words: string[]): string[] {
    const file = join(temporaryFolder(), 'completion.bash');
    writeFileSync(file, makeCompletion(makeCommandTable(), 'bash'));
    const script = `source "$1"; shift; COMP_WORDS=(counterfoil "$@"); COMP_CWORD=$#; _counterfoil; echo "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', file, ...words], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trim().split(' ');
  }

  test.each<[rule: string, words: string[], offered: string[]]>([
    ['commands by their beginning', ['refu'], ['refusals']],
    ['the commands below a command', ['keys', ''], expect.arrayContaining(['create', 'list', 'revoke'])],
    ['the options of a command', ['keys', 'create', '--if'], ['--if-missing']],
    ['the values of an option', ['keys', 'create', '--mode', ''], ['production', 'test']],
    ['options behind the value of another one', ['keys', 'create', '--label', 'keys', '--adm'], ['--administration']],
    ['nothing of its own where any text may stand', ['keys', 'create', '--label', ''], ['']],
    ['the shells', ['completion', ''], expect.arrayContaining(['bash', 'fish', 'zsh'])],
  ])('offers %s', (_rule, words, offered) => {
    expect(complete(...words)).toEqual(offered);
  });

  test.each(['bash', 'zsh', 'fish'] as const)('knows every command and option in %s', (shell) => {
    const script = makeCompletion(makeCommandTable(), shell);
    for (const { path, command } of listCommands()) {
      expect(script).toContain(path);
      for (const { long = '' } of command.options)
        expect(script).toContain(shell === 'fish' ? `-l ${long?.slice(2)}` : long);
    }
  });

  test.for(['bash', 'zsh', 'fish'] as const)('is a script that %s can read', (shell, { skip }) => {
    const file = join(temporaryFolder(), 'completion');
    writeFileSync(file, makeCompletion(makeCommandTable(), shell));
    const { status, stderr, error } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    if (error !== undefined) return skip(`not run: ${shell} is not installed`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('the man page', () => {
  const page = makeManPage(makeCommandTable());

  test('has every command with its options, and the exit codes', () => {
    const plain = page.replace(/\\-/g, '-');
    for (const { path, command } of listCommands().filter((each) => each.command.commands.length === 0)) {
      expect(plain).toContain(`.SS counterfoil ${path}`);
      for (const { flags } of command.options) expect(plain).toContain(`.B ${flags}\n`);
    }
    expect(plain).toContain('.SH EXIT STATUS\n.TP\n.B 0\ndone\n');
  });

  test('is read by groff without a warning', ({ skip }) => {
    const { error, status, stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-Kutf8', '-P-cbou'], {
      input: page,
      encoding: 'utf8',
    });
    if (error !== undefined) return skip('not run: groff is not installed');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('--if-missing');
  });
});
