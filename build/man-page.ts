// Makes the man page counterfoil(1) from the table of commands: `npm run man` writes it to dist/counterfoil.1.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Argument, Command, Option } from 'commander';

import { EXIT_CODES, makeCommandTable } from '../server/command/table.ts';
import { VERSION } from '../server/version.ts';

/** The page in the format of man(7). */
export function makeManPage(program: Command): string {
  const codes = EXIT_CODES.split(', ').map((text) => text.split(/ (.*)/));
  return `${[
    `.TH COUNTERFOIL 1 "" "counterfoil ${VERSION}" "User Commands"`,
    '.SH NAME',
    `counterfoil \\- ${escape(program.description())}`,
    '.SH SYNOPSIS',
    '.B counterfoil',
    'COMMAND [OPTIONS]',
    '.SH OPTIONS',
    ...program.options.flatMap(describeOption),
    '.SH COMMANDS',
    ...listLeaves(program, 'counterfoil').flatMap(({ name, command }) => [
      `.SS ${escape(`${name} ${command.registeredArguments.map((each) => describeArgument(each)).join(' ')}`.trim())}`,
      escape(command.description()),
      ...command.options.flatMap(describeOption),
    ]),
    '.SH EXIT STATUS',
    ...codes.flatMap(([code = '', meaning = '']) => ['.TP', `.B ${code}`, escape(meaning)]),
    '.SH ENVIRONMENT',
    '.TP',
    '.B COUNTERFOIL_DATA',
    'the data directory, where \\-\\-data is not given',
  ].join('\n')}\n`;
}

function listLeaves(command: Command, name: string): { name: string; command: Command }[] {
  if (command.commands.length === 0) return [{ name, command }];
  return command.commands.flatMap((each) => listLeaves(each, `${name} ${each.name()}`));
}

/** Writes an argument as `<file>`, or as `[file]` if it is optional. */
export function describeArgument(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

function describeOption({ flags, description, mandatory, argChoices }: Option): string[] {
  const choices = argChoices === undefined ? '' : ` (choices: ${argChoices.join(', ')})`;
  return ['.TP', `.B ${escape(flags)}`, escape(description + choices + (mandatory ? ' (required)' : ''))];
}

/** Escapes a text, so that man prints every character and treats none as a command. */
function escape(text: string): string {
  return text.replace(/\\/g, '\\e').replace(/-/g, '\\-').replace(/’/g, '\\(cq').replace(/^[.']/, '\\&$&');
}

if (import.meta.main) {
  const out = join(import.meta.dirname, '../dist');
  mkdirSync(out, { recursive: true });
  const file = join(out, 'counterfoil.1');
  writeFileSync(file, makeManPage(makeCommandTable()));
  console.log(file);
}
