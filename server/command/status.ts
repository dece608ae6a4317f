// `counterfoil status`: what is here, by journal, interface and status.

import type { Command } from 'commander';

import { INTERFACES, STATUSES } from '../contract.ts';
import { type CommonOptions, printJson, printTable, withCommonOptions, withStore } from './output.ts';

export function bindStatus(program: Command): void {
  withCommonOptions(
    program.command('status').description('show what is here, by administration, mode, interface and status'),
  ).action(showStatus);
}

async function showStatus(options: CommonOptions): Promise<void> {
  const journals = await withStore(options, (store) => store.countStatuses());
  if (options.json === true) {
    // `records` are those of the current interface, which its query counts.
    return printJson({
      journals: journals.map(({ records, ...journal }) => ({
        ...journal,
        records: records.current,
        earlierRecords: records.earlier,
      })),
    });
  }
  if (journals.length === 0)
    return console.log('Nothing has been set up yet: counterfoil keys create makes the first key.');
  printTable(
    ['administration', 'mode', 'interface', ...STATUSES],
    journals.flatMap(({ administration, mode, records }) =>
      INTERFACES.map((by) => [administration, mode, by, ...STATUSES.map((status) => records[by][status])]),
    ),
  );
}
