// `counterfoil salvage`: copies everything that can be read from damaged data into a new folder, and says what is missing.

import { resolve } from 'node:path';

import type { Command } from 'commander';

import { dataDirectory, dataOption } from '../data-location.ts';
import { assertNever, UsageError } from '../errors.ts';
import { machineClock } from '../lib/clock.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { PROGRAM } from '../program.ts';
import { databasePath, salvage, type Salvaged, type SalvageProgress } from '../store/data-directory.ts';
import { type CommonOptions, formatTime, inert, printJson, withCommonOptions } from './output.ts';
import { openProgressLine, type ProgressLine } from './progress.ts';

interface SalvageOptions extends CommonOptions {
  readonly to: string;
}

export function bindSalvage(program: Command, clock = machineClock): void {
  withCommonOptions(
    program
      .command('salvage')
      .description(
        'copy everything that can be read from damaged data into a new folder, and say what is missing; the damaged data are not changed',
      )
      .argument('[file]', 'a damaged backup or database, in place of the data directory')
      .requiredOption('--to <dir>', 'the new folder; it must be missing or empty'),
  ).action((file: string | undefined, options: SalvageOptions) => run(file, options, clock.now()));
}

async function run(file: string | undefined, options: SalvageOptions, now: number): Promise<void> {
  if (file !== undefined && options.data !== undefined) throw new UsageError('Give either a file or --data, not both.');
  const dataDir = file === undefined ? dataDirectory(options.data) : undefined;
  const path = resolve(file ?? databasePath(dataDirectory(options.data)));
  const toDir = resolve(options.to);
  const line = openProgressLine(options);
  const found = await salvage({ path, dataDir }, toDir, now, (progress) => showProgress(line, progress)).finally(
    line.clear,
  );
  if (options.json === true) return printJson({ file: path, to: toDir, ...listSalvaged(found) });
  // A gateway that stops normally leaves no log. Nobody can see whether it did.
  const withoutLog =
    found.log === 'none' && dataDir !== undefined
      ? ['No write-ahead log was found. If the gateway did not stop normally, the newest sales were in it.']
      : [];
  console.log([...describe(found, path, toDir), ...withoutLog, '', ...nextSteps(toDir, dataDir)].join('\n'));
}

function showProgress(line: ProgressLine, progress: SalvageProgress): void {
  switch (progress.step) {
    case 'copy':
      return line.show('Copying what can be read (step 1 of 3)', { ...progress, unit: 'MB' });
    case 'derive':
      return line.show('Deriving counts, amounts and deliveries (step 2 of 3)');
    case 'check':
      return line.show('Checking the new data (step 3 of 3)');
    default:
      assertNever(progress);
  }
}

/** Maximum lines of each kind. With --json, everything is listed. */
const MAX_LISTED = 20;

function describe(found: Salvaged, path: string, toDir: string): string[] {
  const { records, corrected, missing, gaps, known, changed, mayLackNewest, tables, missingPages, log } = found;
  return [
    `${counted(records, 'record')} of ${path} can be read, and ${records === 1 ? 'is' : 'are'} in ${toDir} now. The damaged data were not changed.`,
    ...(corrected.length === 0
      ? []
      : [
          `The id, type or time of sale of ${counted(corrected.length, 'record')} was damaged, and was read from the bytes again: ${listIds(corrected)}.`,
        ]),
    missing === 0
      ? 'No record is missing up to the newest known one.'
      : `${counted(missing, 'record')} cannot be read:`,
    ...limited(gaps.map(describeGap)),
    ...(known.length === 0 ? [] : ['Of these records, the following is known:', ...limited(known.map(describeKnown))]),
    ...(changed.length === 0
      ? []
      : [
          `The bytes of ${counted(changed.length, 'of these records', 'of these records')} have changed: ${listIds(changed)}.`,
        ]),
    ...(mayLackNewest ? [`Newer records may be missing too, because ${whyNewest(log, missingPages)}.`] : []),
    ...(log === 'foreign' ? ['The write-ahead log belongs to another state of the database, so it was not used.'] : []),
    ...tables.map(
      ({ table, rows, rejected }) =>
        `The table ${table} may not be complete: ${counted(rows, 'row')} could be copied${rejected === 0 ? '' : `, ${rejected} could not be used`}.`,
    ),
    ...describeConsequences(found),
  ];
}

function describeGap({ from, to, afterArrival, beforeArrival }: Salvaged['gaps'][number]): string {
  const ids = from === to ? `record ${from}` : `records ${from} to ${to}`;
  const after = afterArrival === null ? '' : ` after ${formatTime(afterArrival)}`;
  const before = beforeArrival === null ? '' : `${after === '' ? '' : ' and'} before ${formatTime(beforeArrival)}`;
  return `  ${ids}${after + before === '' ? '' : `, which arrived${after}${before}`}`;
}

function describeKnown({ id, externalId, type, soldAt, administration, mode }: Salvaged['known'][number]): string {
  const parts = [
    externalId === null ? undefined : `id ${inert(externalId)}`,
    type === null ? undefined : inert(type),
    soldAt === null ? undefined : `sold at ${formatTime(soldAt * 1000)}`,
    administration === null ? undefined : `${inert(administration)} (${mode})`,
  ];
  return `  record ${id}: ${parts.filter((part) => part !== undefined).join(', ')}`;
}

function whyNewest(log: Salvaged['log'], missingPages: number): string {
  if (missingPages > 0) return `the end of the file is missing (${counted(missingPages, 'page')})`;
  return log === 'damaged' || log === 'foreign' ? 'the write-ahead log cannot be read' : 'the indexes are damaged too';
}

function describeConsequences({ replacements, promoted, unknownAsked, unknownHeld }: Salvaged): string[] {
  const { administrations, journals, tills, keys } = replacements;
  const lines: string[] = [];
  if (administrations + journals > 0)
    lines.push(
      `Names were lost, so these have new names and no upstream: ${counted(administrations, 'administration')}, ${counted(journals, 'journal')}. Set their upstream only after you know which shop and which mode they are.`,
    );
  if (tills > 0) lines.push(`${counted(tills, 'till')} lost the name, and got a new one.`);
  if (keys > 0)
    lines.push(
      `${counted(keys, 'key')} cannot be read. The records have a revoked key in its place. Make a new key for each of these tills.`,
    );
  const equal = promoted.filter(({ was }) => was === 'IGNORED').map(({ id }) => id);
  const other = promoted.filter(({ was }) => was === 'ERROR').map(({ id }) => id);
  if (equal.length > 0)
    lines.push(
      `The originals of these equal resends are lost, so the resends count in their place: ${listIds(equal)}.`,
    );
  if (other.length > 0)
    lines.push(
      `The originals of these changed resends are lost. The resends count in their place and are held, because their content differs: ${listIds(other)}.`,
    );
  if (unknownAsked > 0)
    lines.push(
      `It is not known whether ${counted(unknownAsked, 'record')} ${unknownAsked === 1 ? 'was' : 'were'} sent. The gateway asks the upstream for them before it sends them.`,
    );
  if (unknownHeld > 0)
    lines.push(
      `It is not known whether ${counted(unknownHeld, 'record')} may be sent, and the upstream cannot be asked. They are held or set aside: decide in the console.`,
    );
  return lines;
}

function nextSteps(toDir: string, dataDir: string | undefined): string[] {
  const into = dataDir === undefined ? '' : dataOption(dataDir);
  return [
    'The new data forward nothing before you confirm it. Put them in the place of the damaged data, which are set aside:',
    `  ${PROGRAM} restore ${shellArgument(databasePath(toDir))}${into}`,
    'Then let the upstream list the sales that are missing here, for each month:',
    `  ${PROGRAM} reconcile --full --month YYYY-MM${into}`,
  ];
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function limited(lines: readonly string[]): string[] {
  const more = lines.length - MAX_LISTED;
  return more <= 0 ? [...lines] : [...lines.slice(0, MAX_LISTED), `  and ${more} more; --json lists them all`];
}

function listIds(ids: readonly number[]): string {
  const more = ids.length - MAX_LISTED;
  return ids.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function listSalvaged({ gaps, known, ...rest }: Salvaged) {
  const time = (at: number | null): string | null => (at === null ? null : formatMilliseconds(at));
  return {
    ...rest,
    gaps: gaps.map(({ afterArrival, beforeArrival, ...gap }) => ({
      ...gap,
      afterArrival: time(afterArrival),
      beforeArrival: time(beforeArrival),
    })),
    known: known.map(({ soldAt, ...record }) => ({ ...record, soldAt: time(soldAt === null ? null : soldAt * 1000) })),
  };
}
