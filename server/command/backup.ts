// `counterfoil backup`: copies all data while the gateway runs.

import { dirname, join, resolve } from 'node:path';

import type { Command } from 'commander';

import { dataDirectory, dataOption } from '../data-location.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { PROGRAM } from '../program.ts';
import { ARCHIVE_FOLDER, type Backup, backUp, readSettingsFile } from '../store/data-directory.ts';
import { listFileFaults } from './archive.ts';
import { type CommonOptions, printJson, withCommonOptions, withStore } from './output.ts';
import { openProgressLine } from './progress.ts';

export function bindBackup(program: Command): void {
  withCommonOptions(
    program
      .command('backup')
      .description('copy everything to a new file, while the gateway runs, and verify the copy')
      .argument('<file>', 'the new file'),
  ).action(printBackup);
}

async function printBackup(path: string, options: CommonOptions): Promise<void> {
  const file = resolve(path);
  const dataDir = dataDirectory(options.data);
  const line = openProgressLine(options);
  const backup = await backUp(dataDir, file, (progress) => {
    if (progress.step === 'copy') line.show('Copying', { ...progress, unit: 'MB' });
    else line.show('Verifying the copy');
  }).finally(line.clear);
  await noteBackup(file, backup, options);
  if (options.json === true) return printJson({ file, ...backup });
  const { records, bytes, archive } = backup;
  console.log(`${file} has ${records === 1 ? '1 record' : `${records} records`} and all data about them (${bytes} bytes).${archiveSentence(archive, file)}
${readSettingsFile(dataDir) === undefined ? 'The data directory has no settings file, so the backup has none. It has no certificate files and logs either.' : 'It also has the settings file, but no certificate files and logs.'} To restore it: stop the gateway, then run ${PROGRAM} restore ${shellArgument(file)}${dataOption(dataDir)}`);
}

function archiveSentence({ files, faults }: Backup['archive'], file: string): string {
  if (files === 0) return '';
  const folder = join(dirname(file), ARCHIVE_FOLDER);
  const lost =
    faults.length === 0
      ? ''
      : ` Of these, ${faults.length} cannot be read, and ${faults.length === 1 ? 'is' : 'are'} not there: ${listFileFaults(faults)}.`;
  return `\nThe content of archived records is in ${folder} (${files === 1 ? '1 file' : `${files} files`}). Keep this folder beside the backup.${lost}`;
}

/**
 * Stores the time of the backup, because the to-do list warns about old backups. Ignores a backup file in the data directory,
 * because a disk failure would destroy the file together with the data. Also ignores data of another schema version, because
 * this program must not change them.
 */
async function noteBackup(
  file: string,
  { schema, programSchema, newestRecordId, isOnDataDisk }: Backup,
  options: CommonOptions,
): Promise<void> {
  if (schema !== programSchema || dirname(file) === resolve(dataDirectory(options.data))) return;
  try {
    await withStore(options, (store) => store.health.noteBackup(isOnDataDisk ? 0 : newestRecordId));
  } catch (error) {
    console.error(`The backup is good, but its time could not be stored: ${String(error)}`);
  }
}
