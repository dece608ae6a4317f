// `counterfoil archive`: shows what is archived and whether the gateway can archive, and starts a run.

import type { Command } from 'commander';

import { formatBytes } from '../bad-news.ts';
import type { ArchiveFileFault, ArchiveSummary } from '../contract/archive.ts';
import { plainFormats } from '../contract/task-formats.ts';
import { taskWords } from '../contract/task-words.ts';
import { dataDirectory, dataOption } from '../data-location.ts';
import { OperatorError } from '../errors.ts';
import { machineZone } from '../lib/calendar.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { PROGRAM } from '../program.ts';
import { isOwned } from '../store/data-directory.ts';
import { archiveFacts } from '../todo/facts.ts';
import { type CommonOptions, formatTime, inert, printJson, withCommonOptions, withStore } from './output.ts';

export function bindArchive(program: Command): void {
  const archive = program
    .command('archive')
    .description('the archive: compressed files with the content of old records');
  withCommonOptions(
    archive
      .command('show')
      .description(
        'show what is archived, and the last run; exits with 1 if files cannot be read or nothing can be archived',
      ),
  ).action(show);
  withCommonOptions(
    archive
      .command('run')
      .description('make the running gateway archive now what is due; without it, the next start does so'),
  ).action(run);
}

async function show(options: CommonOptions): Promise<void> {
  const summary = await withStore(options, (store) => store.archive.readSummary());
  const problems = archiveProblems(summary);
  if (problems.length > 0) process.exitCode = 1;
  if (options.json === true) return printJson(describeArchive(summary));
  for (const line of [...describe(summary), ...problems]) console.log(inert(line));
}

function describe({ months, folder, files, days, records, bodyBytes, fileBytes, endedAt }: ArchiveSummary): string[] {
  return [
    months === null
      ? 'The archive is off: the gateway started without the setting archiveMonths.'
      : `The gateway archives signed days that are older than ${counted(months, 'month', 'months')}.`,
    files === 0
      ? 'Nothing is archived.'
      : `${counted(records, 'record', 'records')} of ${counted(days, 'day', 'days')} are archived: ${formatBytes(bodyBytes)} of content in ${counted(files, 'file', 'files')} of ${formatBytes(fileBytes)}, in ${folder}.`,
    ...(months === null && endedAt === null
      ? []
      : [endedAt === null ? 'No run has ended yet.' : `The last run ended at ${formatTime(endedAt)}.`]),
  ];
}

/** What a person must look at: what is wrong and what to do, in the words of the to-do list. */
export function archiveProblems(summary: ArchiveSummary): string[] {
  return archiveFacts(summary).map(({ fact }) => {
    const { what, action } = taskWords(fact, 'en', plainFormats('en', machineZone()));
    const isFailure = fact.kind === 'archive_failed' && fact.files === 0;
    return [what, action, ...(isFailure && summary.failure !== null ? [summary.failure.detail] : [])].join(' ');
  });
}

/** Maximum files that a sentence names. With --json, a command lists all. */
const MAX_NAMED = 20;

export function listFileFaults(faults: readonly ArchiveFileFault[]): string {
  const named = faults.slice(0, MAX_NAMED).map(({ file, fault }) => `${inert(file)} (${fault})`);
  return [...named, ...(faults.length > MAX_NAMED ? ['…'] : [])].join(', ');
}

/** The archive for JSON. */
export function describeArchive(summary: ArchiveSummary) {
  const { fault, failure, endedAt } = summary;
  const since = <T extends { readonly since: number }>(of: T | null) =>
    of && { ...of, since: formatMilliseconds(of.since) };
  return {
    ...summary,
    endedAt: endedAt === null ? null : formatMilliseconds(endedAt),
    fault: since(fault),
    failure: since(failure),
  };
}

async function run(options: CommonOptions): Promise<void> {
  const dataDir = dataDirectory(options.data);
  await withStore(options, async (store) => {
    const { months } = await store.archive.readSummary();
    if (months === null)
      throw new OperatorError(
        'The archive is off: the gateway started without the setting archiveMonths. Set it, and restart the gateway.',
      );
    await store.archive.requestRun();
  });
  const isRunning = isOwned(dataDir);
  if (options.json === true) return printJson({ requested: true, isRunning });
  console.log(
    isRunning
      ? `The gateway archives now what is due. To see the result: ${PROGRAM} archive show${dataOption(dataDir)}`
      : 'No gateway runs on these data. It archives what is due two minutes after its next start.',
  );
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
