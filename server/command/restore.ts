// `counterfoil restore`: restores a backup, and later confirms that the restored gateway may forward.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';

import type { Command } from 'commander';

import { type Config, loadConfig } from '../config.ts';
import { ACTORS, type Mode } from '../contract/codes.ts';
import { MAX_ASKED_AT_ONCE } from '../contract/restores.ts';
import { dataDirectory, dataOption } from '../data-location.ts';
import { assertNever, OperatorError, UsageError } from '../errors.ts';
import type { OpenDispatcher } from '../forward/connection.ts';
import { type Clock, machineClock } from '../lib/clock.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import { mapFew } from '../lib/map-few.ts';
import { PROGRAM } from '../program.ts';
import { SETTINGS_FILE } from '../setting-sources.ts';
import {
  ARCHIVE_FOLDER,
  placeSettings,
  readSettingsFile,
  restoreBackup,
  type Restored,
  type RestoreProgress,
} from '../store/data-directory.ts';
import { listFileFaults } from './archive.ts';
import {
  type CommonOptions,
  formatTime,
  inert,
  optionsOfLane,
  printJson,
  withCommonOptions,
  withStore,
} from './output.ts';
import { openProgressLine, type ProgressLine } from './progress.ts';

interface RestoreOptions extends CommonOptions {
  readonly newIdentity?: boolean;
  readonly withSettings?: boolean;
}

/** Asks a person a question, and resolves to the answer. Undefined if nobody can answer. */
type Ask = ((question: string) => Promise<string>) | undefined;

export function bindRestore(program: Command, ask = findAsk(), clock = machineClock): void {
  withCommonOptions(
    program
      .command('restore')
      .description(
        'restore a backup after a full check; the previous data are set aside, and nothing is forwarded before --new-identity',
      )
      .argument('[file]', 'the backup; leave it out to confirm an earlier restore')
      .option('--new-identity', 'confirm that the gateway that made the backup has stopped, and start forwarding')
      .option('--with-settings', 'also use the settings file that the backup carries; the previous one is set aside'),
  ).action((file: string | undefined, options: RestoreOptions) => restore(file, options, ask, clock));
}

async function restore(path: string | undefined, options: RestoreOptions, ask: Ask, clock: Clock): Promise<void> {
  if (path === undefined) {
    if (options.newIdentity !== true)
      throw new UsageError('Name the backup. To confirm an earlier restore, give --new-identity.');
    if (!(await confirm(options))) throw new OperatorError('No restore waits for a confirmation. Nothing was changed.');
    if (options.json === true) return printJson({ confirmed: true });
    return console.log(CONFIRMED);
  }
  const file = resolve(path);
  const dataDir = dataDirectory(options.data);
  const { prepareConnections } = await import('../forward/connection.ts'); // the other commands start faster without it
  const config = loadConfig(dataDir, {}); // reports invalid settings before anything changes
  const openDispatcher = prepareConnections(config);
  const line = openProgressLine(options);
  let settings: SettingsOutcome = { kind: 'none' };
  const now = clock.now();
  const restored = await restoreBackup(dataDir, file, now, {
    archiveFolder: config.archiveFolder,
    onProgress: (progress) => showProgress(line, progress),
    onSettings: (carried) => void (settings = useSettings(dataDir, carried, options, now)),
  }).finally(line.clear);
  const since = await readSince(restored, options, { openDispatcher, clock });
  if (options.json === true) {
    const confirmed = options.newIdentity === true && (await confirm(options));
    return printJson({ file, data: resolve(dataDir), ...listRestored(restored), settings, since, confirmed });
  }
  const lines = [
    describe(file, resolve(dataDir), restored),
    ...describeSettings(settings),
    ...describeSealed(restored.sealed),
    ...since.map(sinceSentence),
  ];
  console.log(lines.join('\n'));
  if (options.newIdentity === true || (ask !== undefined && isYes(await ask(QUESTION)))) {
    await confirm(options);
    return console.log(CONFIRMED);
  }
  console.log(`Nothing is forwarded yet. Stop the gateway that made the backup, because two gateways must not forward the same
records. Then let this gateway forward: ${PROGRAM} restore --new-identity${dataOption(dataDir)}`);
}

/** What happened to the settings that a backup carries. */
type SettingsOutcome =
  /** The backup has no settings, or those of the data directory. */
  | { readonly kind: 'none' }
  | { readonly kind: 'left'; readonly names: readonly string[] }
  | { readonly kind: 'used'; readonly setAside: string | null; readonly missingFiles: readonly string[] };

/** Puts the carried settings in place if the person wants them. Throws before anything changes if they are not valid. */
function useSettings(
  dataDir: string,
  carried: string | null,
  { withSettings = false }: RestoreOptions,
  now: number,
): SettingsOutcome {
  if (carried === null) {
    if (withSettings) throw new OperatorError('The backup has no settings. Restore it without --with-settings.');
    return { kind: 'none' };
  }
  if (carried === readSettingsFile(dataDir)) return { kind: 'none' };
  if (!withSettings) return { kind: 'left', names: namesIn(carried) };
  assertSettings(carried);
  const setAside = placeSettings(dataDir, carried, now);
  return { kind: 'used', setAside, missingFiles: listMissingFiles(loadConfig(dataDir, {})) };
}

function namesIn(carried: string): string[] {
  try {
    return Object.keys(JSON.parse(carried) as object);
  } catch {
    return [];
  }
}

/** Reads the settings in a folder of their own. Throws an OperatorError that names the fault. */
function assertSettings(carried: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-settings-'));
  try {
    writeFileSync(join(folder, SETTINGS_FILE), carried, { mode: 0o600 });
    loadConfig(folder, {}, {});
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof OperatorError)) throw error;
    throw new OperatorError(
      `The settings in the backup are not valid for this version: ${error.message} Restore it without --with-settings.`,
      { cause: error },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files and folders that the settings name and that this machine does not have. */
function listMissingFiles({ tls, upstreamCa, metricsTokenFile, backupFolder, archiveFolder }: Config): string[] {
  return [tls?.certificate, tls?.key, upstreamCa, metricsTokenFile, backupFolder, archiveFolder].filter(
    (path) => path !== undefined && !existsSync(path),
  ) as string[];
}

function describeSettings(outcome: SettingsOutcome): string[] {
  switch (outcome.kind) {
    case 'none':
      return [];
    case 'left':
      return [
        `The backup also has settings${outcome.names.length === 0 ? '' : ` (${inert(outcome.names.join(', '))})`}, which were not used. To use them, restore it with --with-settings.`,
      ];
    case 'used':
      return [
        `Its settings are in the data directory. The gateway uses them from its next start.${outcome.setAside === null ? '' : ` The previous ones were set aside: ${outcome.setAside}`}`,
        ...(outcome.missingFiles.length === 0
          ? []
          : [
              `The settings name files that are not on this machine. Copy them, or change the settings: ${outcome.missingFiles.join(', ')}`,
            ]),
      ];
    default:
      return assertNever(outcome);
  }
}

/** The app encrypts secrets with the keyring of its machine, so another machine cannot read them. */
function describeSealed({ upstreamKeys, alertReceivers, hasMailPassword, hasAuthority }: Restored['sealed']): string[] {
  const again = [
    upstreamKeys > 0 ? `the upstream keys (${upstreamKeys})` : undefined,
    alertReceivers > 0 ? `the addresses of the alert receivers (${alertReceivers})` : undefined,
    hasMailPassword ? 'the password of the mail server' : undefined,
  ].filter((part) => part !== undefined);
  const lines: string[] = [];
  if (again.length > 0)
    lines.push(
      `The app encrypted some secrets with the keyring of its machine. On another machine, enter them again: ${again.join(', ')}.`,
    );
  if (hasAuthority)
    lines.push(
      'The key of the gateway’s authority is encrypted too. On another machine, the gateway makes a new authority, which the tills must trust.',
    );
  return lines;
}

/** What an upstream has from after the backup. */
interface Since {
  readonly administration: string;
  readonly mode: Mode;
  /** The number of its sales; null if it did not tell. */
  readonly upstream: number | null;
  /** Whether it was not asked, because its key is encrypted. */
  readonly isKeyUnreadable: boolean;
  /** The command that lists the sales that the restored data lack. */
  readonly command: string;
}

/** Asks each upstream how many sales it has from after the backup. */
async function readSince(
  { madeAt, newestReceivedAt }: Restored,
  options: RestoreOptions,
  parts: { readonly openDispatcher: OpenDispatcher; readonly clock: Clock },
): Promise<Since[]> {
  const [from, now] = [madeAt ?? newestReceivedAt, parts.clock.now()];
  if (from === null) return [];
  const range = { from: Math.floor(from / 1000), to: Math.ceil(now / 1000) };
  const [firstMonth, lastMonth] = [from, now].map((at) => new Date(at).toISOString().slice(0, 7));
  const days = firstMonth === lastMonth ? `--month ${lastMonth}` : `--year ${lastMonth?.slice(0, 4)}`;
  const lanes = await withStore(options, async (store) => store.outbox.lanes());
  const { countUpstream } = await import('../reconcile/since.ts');
  const asked = lanes.filter(
    ({ upstream, isKeyUnreadable, interface: by }) => by === 'current' && (upstream !== null || isKeyUnreadable),
  );
  return mapFew(asked, MAX_ASKED_AT_ONCE, async (lane) => {
    const { upstream, administration, mode, isKeyUnreadable } = lane;
    const count = upstream === null ? undefined : await countUpstream(upstream, range, parts);
    const command = `${PROGRAM} reconcile --full ${days}${optionsOfLane(lane, options)}`;
    return { administration, mode, upstream: count ?? null, isKeyUnreadable, command };
  });
}

function sinceSentence({ administration, mode, upstream, isKeyUnreadable, command }: Since): string {
  const name = `The upstream of ${inert(administration)} (${mode})`;
  if (isKeyUnreadable)
    return `${name} cannot be asked which sales it has from after the backup, because the desktop app has encrypted its key. On another machine, enter the key again. Then list the sales that are missing here: ${command}`;
  const found =
    upstream === null
      ? 'did not say which sales it has from after the backup'
      : `has ${upstream === 1 ? '1 sale' : `${upstream} sales`} from after the backup`;
  return `${name} ${found}. To list the sales that are missing here: ${command}`;
}

const QUESTION = 'Has the gateway that made the backup stopped, so that only this one forwards? (yes/no) ';
const CONFIRMED = 'This gateway has a new identity and may forward.';

function isYes(answer: string): boolean {
  return answer.trim().toLowerCase() === 'yes';
}

function confirm(options: RestoreOptions): Promise<boolean> {
  return withStore(options, (store) => store.outbox.confirmRestore(ACTORS.commandLine));
}

function describe(file: string, dataDir: string, restored: Restored): string {
  const { records, madeAt, newestReceivedAt, schema, programSchema, archive } = restored;
  const lines = [
    `${file} is restored to ${dataDir}.`,
    madeAt === null ? 'The time of the backup is unknown.' : `The backup was made at ${formatTime(madeAt)}.`,
    newestReceivedAt === null
      ? 'It has no records.'
      : `It has ${records === 1 ? '1 record' : `${records} records`}. The newest arrived at ${formatTime(newestReceivedAt)}.`,
  ];
  if (schema < programSchema)
    lines.push(`An earlier version made it (schema ${schema}); it was migrated to schema ${programSchema}.`);
  if (archive.faults.length > 0)
    lines.push(
      `The content of archived records is in ${archive.files === 1 ? '1 file' : `${archive.files} files`}, of which ${archive.faults.length} cannot be read: ${listFileFaults(archive.faults)}. Put sound copies into the folder ${join(dataDir, ARCHIVE_FOLDER)}. Totals and verdicts need no file.`,
    );
  lines.push(...describePrevious(restored));
  return lines.join('\n');
}

function describePrevious({ asidePath, onlyBefore }: Restored): string[] {
  if (asidePath === null) return [];
  return [
    `The previous data were set aside: ${asidePath}`,
    whatOnlyTheyHave(onlyBefore),
    'Keys, users, upstreams and rules from after the backup are only in the previous data. docs/operate.md says how to undo a restore.',
  ];
}

function whatOnlyTheyHave(onlyBefore: Restored['onlyBefore']): string {
  if (onlyBefore === null) return 'They could not be compared with the backup.';
  const { records, notUpstream } = onlyBefore;
  if (records === 0) return 'They have no record that the backup lacks.';
  const unsent =
    notUpstream === null ? '' : `, of which ${notUpstream} ${notUpstream === 1 ? 'is' : 'are'} not upstream`;
  return `They have ${records === 1 ? '1 record' : `${records} records`} that the backup lacks${unsent}. So keep this file.`;
}

function listRestored({ madeAt, newestReceivedAt, asidePath, settings: _, ...rest }: Restored) {
  const time = (at: number | null): string | null => (at === null ? null : formatMilliseconds(at));
  return { ...rest, madeAt: time(madeAt), newestReceivedAt: time(newestReceivedAt), setAside: asidePath };
}

function showProgress(line: ProgressLine, progress: RestoreProgress): void {
  switch (progress.step) {
    case 'copy':
      return line.show('Copying (step 1 of 4)', { ...progress, unit: 'MB' });
    case 'structure':
      return line.show('Checking the structure of the database (step 2 of 4)');
    case 'records':
      return line.show('Checking records (step 3 of 4)', { ...progress, unit: 'records' });
    case 'counts':
      return line.show('Checking counts and amounts (step 4 of 4)');
    case 'migrate':
      return line.show('Migrating the data to this version');
    default:
      assertNever(progress);
  }
}

/** Asks in the terminal. Undefined if a program runs the command. */
function findAsk(): Ask {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await terminal.question(question);
    } finally {
      terminal.close();
    }
  };
}
