// `counterfoil backup`: a copy of everything, while the gateway runs.

import { resolve } from 'node:path';

import type { Command } from 'commander';

import { dataDirectory } from '../config.ts';
import { backUp } from '../store/backup.ts';
import { type CommonOptions, printJson, withCommonOptions } from './output.ts';

export function bindBackup(program: Command): void {
  withCommonOptions(
    program
      .command('backup')
      .description('copy everything to a file that is not there yet, while the gateway runs, and verify the copy')
      .argument('<file>', 'where to'),
  ).action(printBackup);
}

function printBackup(path: string, options: CommonOptions): void {
  const file = resolve(path);
  const backup = backUp(dataDirectory(options.data), file);
  if (options.json === true) return printJson({ file, ...backup });
  const { records, bytes } = backup;
  console.log(
    `${records === 1 ? '1 record is' : `${records} records are`} in ${file} (${bytes} bytes), with everything else.`,
  );
  console.log(
    'To go back to it: stop the gateway, and put the file in the place of counterfoil.db, without its -wal and -shm.',
  );
}
