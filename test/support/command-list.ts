// Every command of the command line, for tests that go through all of them.

import type { Command } from 'commander';

import { makeCommandTable } from '../../server/command/table.ts';

/** Each command with the words that a user types to call it. */
export function listCommands(
  command = makeCommandTable(),
  path: readonly string[] = [],
): { path: string; command: Command }[] {
  const below = command.commands.flatMap((each) => listCommands(each, [...path, each.name()]));
  return [{ path: path.join(' '), command }, ...below];
}
