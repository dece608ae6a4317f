// `counterfoil check`: verifies all stored data, or a backup.

import { resolve } from 'node:path';

import type { Command } from 'commander';

import { dataDirectory } from '../data-location.ts';
import { assertNever, GatewayError, OperatorError, UsageError } from '../errors.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { PROGRAM } from '../program.ts';
import { checkFile, damageAdvice, databasePath } from '../store/data-directory.ts';
import type { DataCheckProgress, CheckResult } from '../store/health/ledger.ts';
import { listFileFaults } from './archive.ts';
import { type CommonOptions, inert, printJson, withCommonOptions, withStore } from './output.ts';
import { openProgressLine, type ProgressLine } from './progress.ts';

export function bindCheck(program: Command): void {
  withCommonOptions(
    program
      .command('check')
      .description(
        'verify the database, every record’s SHA-256, every count and every sum of amounts; exits with 1 if anything is wrong',
      )
      .argument('[file]', 'a backup to check in place of the data directory; the backup is not changed'),
  ).action(check);
}

async function check(path: string | undefined, options: CommonOptions): Promise<void> {
  const line = openProgressLine(options);
  const onProgress = (progress: DataCheckProgress): void => showProgress(line, progress);
  if (path === undefined) return print(await checkDirectory(options, onProgress).finally(line.clear), options);
  if (options.data !== undefined) throw new UsageError('Give either a file or --data, not both.');
  const file = resolve(path);
  const { areCountsChecked, ...result } = await Promise.try(checkFile, file, onProgress).finally(line.clear);
  print(result, options, { file, areCountsChecked });
}

function showProgress(line: ProgressLine, progress: DataCheckProgress): void {
  switch (progress.step) {
    case 'structure':
      return line.show('Checking the structure of the database (step 1 of 3)');
    case 'records':
      return line.show('Checking records (step 2 of 3)', { ...progress, unit: 'records' });
    case 'counts':
      return line.show('Checking counts and amounts (step 3 of 3)');
    default:
      assertNever(progress);
  }
}

type OnProgress = (progress: DataCheckProgress) => void;

async function checkDirectory(options: CommonOptions, onProgress: OnProgress): Promise<CheckResult> {
  return withStore(options, (store) => store.health.check(onProgress)).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== 'store_damaged') throw error;
    throw new OperatorError(
      `The database is too damaged to be read completely. Keep a copy of the data directory, then ${damageAdvice(pathOf(options))}.`,
    );
  });
}

function pathOf({ data }: CommonOptions): string {
  return databasePath(dataDirectory(data));
}

interface Backup {
  readonly file: string;
  readonly areCountsChecked: boolean;
}

function print(result: CheckResult, options: CommonOptions, backup?: Backup): void {
  const {
    structure,
    damagedRecords,
    countFaults,
    saleFaults,
    deliveryFaults,
    wrongAmounts,
    amountFaults,
    records,
    archiveFaults,
  } = result;
  const faults = [structure, damagedRecords, countFaults, saleFaults, deliveryFaults, wrongAmounts, amountFaults];
  const isDatabaseSound = faults.every(({ length }) => length === 0);
  const isSound = isDatabaseSound && archiveFaults.length === 0;
  if (!isSound) process.exitCode = 1;
  if (options.json === true) return printJson({ ok: isSound, ...backup, ...result });
  const where = backup === undefined ? '' : ` in ${backup.file}`;
  const all = records === 1 ? `The one record${where} is sound` : `All ${records} records${where} are sound`;
  const counts =
    backup?.areCountsChecked === false
      ? '. An earlier version made this backup, so its counts were not checked.'
      : ', and every count is right.';
  if (archiveFaults.length > 0)
    console.log(
      `Archive files that cannot be read, with the content of old records: ${listFileFaults(archiveFaults)}. Put sound copies in their place: a backup folder has some.`,
    );
  if (isDatabaseSound)
    return console.log(isSound ? all + counts : `The database${where} is sound. It has ${records} records${counts}`);
  console.log(
    backup === undefined
      ? `Some data are wrong. Keep a copy of the data directory, then ${damageAdvice(pathOf(options))}.`
      : `Some data in the backup are wrong. Keep it, and look for another backup. Without one, copy what can be read: ${PROGRAM} salvage ${shellArgument(backup.file)} --to NEW-FOLDER`,
  );
  if (damagedRecords.length > 0) console.log(`Records whose bytes have changed: ${damagedRecords.join(', ')}`);
  if (saleFaults.length > 0) console.log(`Records that are not in the order of sale: ${saleFaults.join(', ')}`);
  for (const line of structure) console.log(`The database says: ${line}`);
  for (const { startsAt, width, status, stored, actual } of countFaults) {
    console.log(
      `The count of ${status} from ${new Date(startsAt * 1000).toISOString()} (${width} s) is ${stored}, but there are ${actual}.`,
    );
  }
  if (wrongAmounts.length > 0) console.log(`Records with a wrong stored amount: ${wrongAmounts.join(', ')}`);
  for (const { startsAt, width, type, status, currency, excess, excessRecords, excessWithoutAmount } of amountFaults) {
    const what = `${status} ${inert(type)} from ${new Date(startsAt * 1000).toISOString()} (${width} s)`;
    console.log(
      `The sum of ${what} is ${excess}${currency === null ? '' : ` ${currency}`} too high, with ${excessRecords} records with and ${excessWithoutAmount} without an amount too many.`,
    );
  }
  for (const { laneId, state, startsAt, stored, actual } of deliveryFaults) {
    const part = startsAt === null ? '' : ` from ${new Date(startsAt * 1000).toISOString()} (900 s)`;
    console.log(
      state === null
        ? `The count of all deliveries of NEW records on lane ${laneId}${part} is ${stored}, but there are ${actual} NEW records.`
        : `The count of ${state} deliveries on lane ${laneId}${part} is ${stored}, but there are ${actual}.`,
    );
  }
}
