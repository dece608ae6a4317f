// `counterfoil settings`: shows each setting of a data directory, and its source.

import type { Command } from 'commander';

import { loadConfig } from '../config.ts';
import { dataDirectory } from '../data-location.ts';
import { type CommonOptions, printJson, printTable, withCommonOptions } from './output.ts';

export function bindSettings(program: Command): void {
  withCommonOptions(
    program
      .command('settings')
      .description(
        'show each setting, its value and its source: the variable, the file or the default; a running gateway keeps the values that it started with, also from flags',
      ),
  ).action(showSettings);
}

/** Prints the settings. Passwords in their values are masked. */
function showSettings(options: CommonOptions): void {
  const { settings = [] } = loadConfig(dataDirectory(options.data), {});
  if (options.json === true) return printJson({ settings });
  printTable(
    ['setting', 'value', 'source'],
    settings.map(({ name, value, source }) => [name, value === '' ? '-' : String(value ?? '-'), source]),
  );
}
