// `counterfoil backup`: a copy of everything, while the gateway runs.

import { resolve } from 'node:path';

import type { Command } from 'commander';

import { dataDirectory } from '../config.ts';
import { backUp } from '../store/data-directory.ts';
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
  console.log(`${file} has ${records === 1 ? '1 record' : `${records} records`} and all that is known of them (${bytes} bytes).
Settings, certificates and logs are not in it. To restore it: stop the gateway, delete counterfoil.db, counterfoil.db-wal and
counterfoil.db-shm from the data directory, and copy the file there as counterfoil.db.`);
}
