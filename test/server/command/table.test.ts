// The table of commands as users see it: help and version.

import { type Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';

import packageJson from '../../../package.json' with { type: 'json' };
import { makeCommandTable } from '../../../server/command/table.ts';

/** What a call of the command line prints on stdout. */
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
