// `counterfoil status`: what is here, by journal and status.

import type { Command } from 'commander';

import { STATUSES } from '../contract.ts';
import { type CommonOptions, printJson, printTable, withCommonOptions, withStore } from './output.ts';

export function bindStatus(program: Command): void {
  withCommonOptions(
    program.command('status').description('show what is here, by administration, mode and status'),
  ).action(showStatus);
}

async function showStatus(options: CommonOptions): Promise<void> {
  const journals = await withStore(options, (store) => store.countStatuses());
  if (options.json === true) {
    // The names of statuses are values, so they stay as they are.
    return printJson({ journals });
  }
  if (journals.length === 0)
    return console.log('Nothing has been set up yet: counterfoil keys create makes the first key.');
  printTable(
    ['administration', 'mode', ...STATUSES],
    journals.map(({ administration, mode, records }) => [
      administration,
      mode,
      ...STATUSES.map((status) => records[status]),
    ]),
  );
}
