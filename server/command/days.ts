// `counterfoil days` prints the known verdict of each store day. `counterfoil reconcile` first asks the upstream again. Both
// exit with code 3 if a day differs, so that a scheduler notices.

import { type Command, Option } from 'commander';

import { causeWithCommand } from '../cause.ts';
import { ACTORS, type Mode, MODES } from '../contract/codes.ts';
import { dataDirectory, shownCommand } from '../data-location.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { addDays } from '../lib/calendar.ts';
import { type Clock, machineClock } from '../lib/clock.ts';
import { openDays } from '../reconcile/days.ts';
import { datesOf, isDate } from '../store-day.ts';
import type { OpenCheck } from '../store/checks/ledger.ts';
import type { Store } from '../store/store.ts';
import { type ChosenJournal, EXIT_DIFFERS, EXIT_UNKNOWN, reportDays } from './day-report.ts';
import { type CommonOptions, quote, shownOptions, withCommonOptions, withStore } from './output.ts';
import { openProgressLine } from './progress.ts';

const DAYS_SHOWN = 14;
interface DaysOptions extends CommonOptions {
  readonly administration?: string;
  readonly mode?: Mode;
  readonly day?: string;
  readonly month?: string;
  readonly year?: string;
  readonly full?: boolean;
  readonly resend?: boolean;
}

export function bindDays(program: Command, clock = machineClock): void {
  withDayOptions(
    program
      .command('reconcile')
      .description('compare some store days with the upstream, and send missing sales again')
      .option('--full', 'compare every id, because equal counts can hide a missing sale')
      .option('--resend', 'send missing sales again even if they were sent less than four hours ago'),
  )
    .addHelpText(
      'after',
      `\nExit code ${EXIT_DIFFERS}: a day differs. Exit code ${EXIT_UNKNOWN}: the upstream gave no readable answer, or a sale is damaged on the disk.`,
    )
    .action((options: DaysOptions) => reconcile(options, clock));
  withDayOptions(
    program
      .command('days')
      .description(
        `show the known verdicts of the last ${DAYS_SHOWN} store days, or of the given days; exits with ${EXIT_DIFFERS} if a day differs, with ${EXIT_UNKNOWN} if an answer of the upstream cannot be read or a sale is damaged on the disk`,
      ),
  ).action((options: DaysOptions) => show(options, clock));
}

function withDayOptions(command: Command): Command {
  return withCommonOptions(
    command
      .option('--day <day>', 'this store day, as YYYY-MM-DD')
      .option('--month <month>', 'all days of this month, as YYYY-MM')
      .option('--year <year>', 'all days of this year, as YYYY')
      .option('--administration <name>', 'only the days of this administration (default: all)')
      .addOption(
        new Option(
          '--mode <mode>',
          'only the days of this mode (default: production, or test if only test is in use)',
        ).choices([...MODES]),
      ),
  );
}

async function reconcile(options: DaysOptions, clock: Clock): Promise<void> {
  const dates = parseDates(options);
  if (dates === undefined) throw new UsageError('Say which days: --day, --month or --year.');
  await withStore(options, async (store) => {
    const days = openDays({ store, clock });
    const journals = await chooseJournals(store, options);
    const checks: OpenCheck[] = [];
    for (const { id } of journals) {
      const wanted = { journal: id, ...dates, byIds: options.full === true, resend: options.resend === true };
      const check = await days.check(wanted, ACTORS.commandLine);
      if (check === undefined) throw new OperatorError(`${dates.from} has not begun yet.`);
      checks.push({ ...check, journalId: id });
    }
    const line = openProgressLine(options);
    const { finishChecks } = await import('./finish-checks.ts');
    const stalled = await finishChecks(store, checks, dataDirectory(options.data), clock, ({ next }) => {
      line.show(`Checking ${next}`);
    }).finally(line.clear);
    await reportDays(days, journals, dates, options, { wanted: 'all', stalled });
    if (stalled.length > 0) process.exitCode ??= EXIT_UNKNOWN;
    for (const { cause, journalId } of stalled) {
      const journal = journals.find(({ id }) => id === journalId);
      const why =
        cause === null || journal === undefined
          ? []
          : [causeWithCommand(cause, shownOptions({ ...journal, interface: 'current' }, options))];
      console.error(
        ['counterfoil: not all days could be checked.', ...why, 'A running gateway tries again automatically.'].join(
          ' ',
        ),
      );
    }
  });
}

async function show(options: DaysOptions, clock: Clock): Promise<void> {
  await withStore(options, async (store) => {
    const days = openDays({ store, clock });
    const today = new Date().toISOString().slice(0, 10);
    const dates = parseDates(options) ?? { from: addDays(today, 1 - DAYS_SHOWN), to: addDays(today, 1) };
    await reportDays(days, await chooseJournals(store, options), dates, options, { wanted: 'known', stalled: [] });
  });
}

/**
 * Chooses the journals that have records or an upstream. Without --mode, it chooses production journals. If there are none, it
 * chooses test journals.
 */
async function chooseJournals(store: Store, { administration, mode, data }: DaysOptions): Promise<ChosenJournal[]> {
  const all = await store.setup.listJournals();
  const named = all.filter((journal) => administration === undefined || journal.administration === administration);
  if (named.length === 0 && administration !== undefined)
    throw new OperatorError(
      `The administration ${quote(administration)} does not exist; ${shownCommand(data, 'status')} lists the existing ones.`,
    );
  const inUse = named.filter(
    ({ id, hasRecords }) =>
      hasRecords || store.outbox.lanes().some((lane) => lane.journalId === id && lane.tokenDigest !== null),
  );
  const wanted = mode ?? (inUse.some((journal) => journal.mode === 'production') ? 'production' : 'test');
  const chosen = inUse.filter((journal) => journal.mode === wanted);
  if (chosen.length > 0) return chosen;
  throw new OperatorError(`No records exist yet; ${shownCommand(data, 'status')} shows the tills and lanes.`);
}

function parseDates({ day, month, year }: DaysOptions): { from: string; to: string } | undefined {
  const given = [day, month, year].filter((text) => text !== undefined);
  if (given.length > 1) throw new UsageError('Give one of --day, --month and --year.');
  if (day !== undefined) {
    if (isDate(day)) return { from: day, to: day };
    throw new UsageError(`--day must be a day as YYYY-MM-DD, not ${quote(day)}.`);
  }
  if (month !== undefined) return datesOfPeriod(month, 7, '--month must be a month as YYYY-MM');
  return year === undefined ? undefined : datesOfPeriod(year, 4, '--year must be a year as YYYY');
}

function datesOfPeriod(text: string, length: number, rule: string): { from: string; to: string } {
  const dates = text.length === length ? datesOf(text) : undefined;
  if (dates === undefined) throw new UsageError(`${rule}, not ${quote(text)}.`);
  return dates;
}
