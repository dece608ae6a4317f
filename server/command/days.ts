// `counterfoil days` and `counterfoil reconcile`: the verdict about each store day, as it is known or after asking the upstream.
// Exit code 3 when a day differs, so that a scheduler can tell.

import { setTimeout as delay } from 'node:timers/promises';

import { type Command, Option } from 'commander';

import { causeWithCommand } from '../cause.ts';
import { dataDirectory, loadConfig } from '../config.ts';
import { ACTORS, type Cause, type Mode, MODES } from '../contract/codes.ts';
import {
  type DayCheck,
  type DaySummary,
  type DayView,
  type GapView,
  isOnlyOfOthers,
  type Note,
  type Reason,
} from '../contract/days.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { prepareConnections } from '../forward/connection.ts';
import { addDays } from '../lib/calendar.ts';
import { type Clock, machineClock } from '../lib/clock.ts';
import { PROGRAM } from '../program.ts';
import { type Days, openDays } from '../reconcile/days.ts';
import { runAsked } from '../reconcile/reconciler.ts';
import { datesOf, isDate } from '../store-day.ts';
import type { OpenCheck } from '../store/checks/ledger.ts';
import { isOwned } from '../store/data-directory.ts';
import type { Store } from '../store/store.ts';
import {
  type CommonOptions,
  formatTime,
  inert,
  printJson,
  printTable,
  quote,
  withCommonOptions,
  withStore,
} from './output.ts';

/** At least one day differs. */
const EXIT_DIFFERS = 3;
/** The upstream could not be asked, its answer cannot be read, or a sale is damaged on the disk. */
const EXIT_UNKNOWN = 1;
/** An upstream that has been silent for so long is not waited for; a gateway that runs goes on automatically. */
const PATIENCE_MS = 20_000;
const LOOK_MS = 100;
/** The gateway may stop, and then nobody does the checks. */
const LOOKS_FOR_GATEWAY = 20;
const DAYS_SHOWN = 14;
/** Of skipped numbers, as lines for more than one day; a shop whose ids leave numbers out has one a day. */
const MAX_HINTS = 20;
/** Of the records behind a number. */
const ALL = 10_000_000;

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
      .description('ask the upstream which sales it has of some store days, and have sent again what is missing')
      .option('--full', 'compare every id; equal numbers can hide that one sale is in the place of another')
      .option('--resend', 'resend what is missing even when it was sent less than four hours ago'),
  )
    .addHelpText(
      'after',
      `\nExit code ${EXIT_DIFFERS}: a day differs. Exit code ${EXIT_UNKNOWN}: the upstream gave no answer that can be read, or a sale is damaged on the disk.`,
    )
    .action((options: DaysOptions) => reconcile(options, clock));
  withDayOptions(
    program
      .command('days')
      .description(
        `show the verdict about each store day as it is known: of the last ${DAYS_SHOWN} days, or those that you name; ends with ${EXIT_DIFFERS} when one differs, with ${EXIT_UNKNOWN} when an answer of the upstream cannot be read or a sale is damaged on the disk`,
      ),
  ).action((options: DaysOptions) => show(options, clock));
}

function withDayOptions(command: Command): Command {
  return withCommonOptions(
    command
      .option('--day <day>', 'this store day, as YYYY-MM-DD')
      .option('--month <month>', 'all days of this month, as YYYY-MM')
      .option('--year <year>', 'all days of this year, as YYYY')
      .option('--administration <name>', 'only of this administration (default: all)')
      .addOption(
        new Option(
          '--mode <mode>',
          'only of this mode (default: production; test where nothing else is in use)',
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
    const stalled = await finish(store, checks, dataDirectory(options.data), clock);
    if (process.stderr.isTTY) process.stderr.write('\u001B[2K');
    await report(days, journals, dates, options, { wanted: 'all', stalled });
    if (stalled.length > 0) process.exitCode ??= EXIT_UNKNOWN;
    for (const { cause } of stalled) {
      const why = cause === null ? [] : [causeWithCommand(cause)];
      console.error(
        ['counterfoil: not all days could be checked.', ...why, 'A gateway that runs goes on automatically.'].join(' '),
      );
    }
  });
}

async function show(options: DaysOptions, clock: Clock): Promise<void> {
  await withStore(options, async (store) => {
    const days = openDays({ store, clock });
    const today = new Date().toISOString().slice(0, 10);
    const dates = parseDates(options) ?? { from: addDays(today, 1 - DAYS_SHOWN), to: addDays(today, 1) };
    await report(days, await chooseJournals(store, options), dates, options, { wanted: 'known', stalled: [] });
  });
}

/**
 * Sees checks to their end: a gateway that runs does them, else this process. Resolves to those that the upstream keeps
 * waiting, which the gateway goes on with.
 */
async function finish(store: Store, checks: readonly OpenCheck[], dataDir: string, clock: Clock): Promise<OpenCheck[]> {
  const giveUp = new AbortController();
  const parts = { store, openDispatcher: prepareConnections(loadConfig(dataDir, {})), clock };
  let working: Promise<void> | undefined;
  let isOver = false;
  const askedAt = clock.now();
  for (let looks = 0; !isOver; looks++) {
    const open = await store.checks.listOpen();
    const mine = open.filter(({ id }) => checks.some((check) => check.id === id));
    if (mine.length === 0) break;
    const isStalled = ({ journalId }: OpenCheck): boolean =>
      open.some(
        (each) =>
          each.journalId === journalId &&
          each.stalledAt !== null &&
          clock.now() - Math.max(each.stalledAt, askedAt) >= PATIENCE_MS,
      );
    if (mine.every(isStalled)) {
      const reason = new Error('the upstream is silent');
      giveUp.abort(reason);
      await working?.catch((error: unknown) => {
        if (error !== reason) throw error;
      });
      // One that waits behind another is kept waiting by the same.
      const causeOfJournal = ({ journalId }: OpenCheck): Cause | null =>
        open.find((each) => each.journalId === journalId && each.cause !== null)?.cause ?? null;
      return mine.map((check) => ({ ...check, cause: causeOfJournal(check) }));
    }
    tellProgress(mine);
    if (working === undefined && looks % LOOKS_FOR_GATEWAY === 0 && !isOwned(dataDir))
      working = runAsked(mine, { ...parts, signal: giveUp.signal });
    const look = delay(LOOK_MS);
    await (working === undefined ? look : Promise.race([working.then(() => void (isOver = true)), look]));
  }
  await working;
  return [];
}

/** For whoever watches. */
function tellProgress([check]: readonly OpenCheck[]): void {
  if (check === undefined || !process.stderr.isTTY) return;
  process.stderr.write(`\r\u001B[2KChecking ${check.next} …\r`);
}

interface ChosenJournal {
  readonly id: number;
  readonly administration: string;
  readonly mode: Mode;
}

/** Those in use: with records, or with somewhere to send them. Test records are asked for where there are no others. */
async function chooseJournals(store: Store, { administration, mode }: DaysOptions): Promise<ChosenJournal[]> {
  const all = await store.setup.listJournals();
  const named = all.filter((journal) => administration === undefined || journal.administration === administration);
  if (named.length === 0 && administration !== undefined)
    throw new OperatorError(
      `There is no administration ${quote(administration)}; ${PROGRAM} status shows what there is.`,
    );
  const inUse = named.filter(
    ({ id, hasRecords }) =>
      hasRecords || store.outbox.lanes().some((lane) => lane.journalId === id && lane.tokenDigest !== null),
  );
  const wanted = mode ?? (inUse.some((journal) => journal.mode === 'production') ? 'production' : 'test');
  const chosen = inUse.filter((journal) => journal.mode === wanted);
  if (chosen.length > 0) return chosen;
  throw new OperatorError(`There are no records yet; ${PROGRAM} status shows what there is.`);
}

function parseDates({ day, month, year }: DaysOptions): { from: string; to: string } | undefined {
  const given = [day, month, year].filter((text) => text !== undefined);
  if (given.length > 1) throw new UsageError('Give one of --day, --month and --year.');
  if (day !== undefined) {
    if (isDate(day)) return { from: day, to: day };
    throw new UsageError(`--day takes a day as YYYY-MM-DD, not ${quote(day)}.`);
  }
  if (month !== undefined) return datesOfPeriod(month, 7, '--month takes a month as YYYY-MM');
  return year === undefined ? undefined : datesOfPeriod(year, 4, '--year takes a year as YYYY');
}

function datesOfPeriod(text: string, length: number, rule: string): { from: string; to: string } {
  const dates = text.length === length ? datesOf(text) : undefined;
  if (dates === undefined) throw new UsageError(`${rule}, not ${quote(text)}.`);
  return dates;
}

/** Prints what is known of the days that have begun, or of those alone that anything is known of, and sets the exit code. */
async function report(
  days: Days,
  journals: readonly ChosenJournal[],
  { from, to }: { readonly from: string; readonly to: string },
  options: DaysOptions,
  { wanted, stalled }: { readonly wanted: 'all' | 'known'; readonly stalled: readonly OpenCheck[] },
): Promise<void> {
  const rows: ReportedDay[] = [];
  const stalls: string[] = [];
  for (const journal of journals) {
    const list = await days.list(journal.id, from, to);
    if (list === undefined) throw new OperatorError(`${journal.administration} is no more.`);
    if (wanted === 'known') stalls.push(...listStalls(journal, list.checks, { from, to }));
    for (const known of list.days) {
      if (known.date > list.today) break;
      const summary = asAsked(
        known,
        stalled.filter(({ journalId }) => journalId === journal.id),
      );
      const isBefore = list.first === null || summary.date < list.first;
      if (isBefore && wanted === 'known' && summary.basis === null && summary.declared === null) continue;
      const view = summary.reasons.length > 0 ? await days.get(journal.id, summary.date, ALL) : undefined;
      const gaps = summary.here > 0 ? await listGapsOf(days, journal.id, summary.date) : [];
      rows.push({ ...journal, summary, view, gaps });
    }
  }
  const unknown: readonly string[] = ['upstream_unreadable', 'damaged_here'];
  if (rows.some(({ summary }) => summary.reasons.some(({ code }) => unknown.includes(code))))
    process.exitCode = EXIT_UNKNOWN;
  if (rows.some(({ summary }) => summary.verdict === 'differs')) process.exitCode = EXIT_DIFFERS;
  if (options.json === true) return printJson(rows.map(describe));
  for (const stall of stalls) console.log(`${inert(stall)}\n`);
  printTable(
    ['day', 'verdict', 'here', 'upstream', 'declared', 'checked', 'signed', 'administration', 'mode', 'why'],
    rows.map(({ administration, mode, summary }) => [
      summary.date,
      `${summary.verdict}${summary.isProvisional ? ' so far' : ''}`,
      summary.here,
      summary.upstream ?? '-',
      summary.declared ?? '-',
      describeBasis(summary),
      summary.signOff === null ? '-' : `${summary.signOff.name}${summary.signOff.isReopened ? ' (re-opened)' : ''}`,
      administration,
      mode,
      [
        ...summary.reasons.map((reason) => sentenceOf(reason, summary)),
        ...summary.notes.map((note) => NOTES[note.code](note.count)),
        ...(isOnlyOfOthers(summary) ? [othersHint(administration)] : []),
      ].join(' '),
    ]),
  );
  for (const { summary, view } of rows) {
    const lists = view === undefined ? [] : listBehind(view);
    for (const [name, ids] of lists) console.log(inert(`${summary.date}  ${name}: ${ids.join(', ')}`));
  }
  // One between two days is told once.
  const hints = [...new Set(rows.flatMap(({ summary, gaps }) => gaps.map((gap) => hintOf(summary.date, gap))))];
  const shown = from === to ? hints : hints.slice(0, MAX_HINTS);
  for (const hint of shown) console.log(inert(hint));
  if (hints.length > shown.length)
    console.log(`… and ${hints.length - shown.length} more skipped numbers; --json or --day shows more.`);
}

/** Checks of these days that the upstream keeps waiting: what is shown was found before. */
function listStalls(
  { administration, mode }: ChosenJournal,
  checks: readonly DayCheck[],
  { from, to }: { readonly from: string; readonly to: string },
): string[] {
  return checks
    .filter((check) => check.stalledAt !== null && check.next <= to && check.to >= from)
    .map(({ next, to: last, stalledAt, cause }) => {
      const days = next === last ? next : `${next} to ${last}`;
      const why = cause === null ? '' : ` ${causeWithCommand(cause)}`;
      return `${administration} (${mode}): ${days} cannot be checked, since ${formatTime(stalledAt)}.${why}`;
    });
}

/** What was complete before is not the answer to a question that the upstream left open. */
function asAsked(summary: DaySummary, stalled: readonly OpenCheck[]): DaySummary {
  const open = stalled.find(({ next, to }) => next <= summary.date && summary.date <= to);
  if (open === undefined || summary.verdict !== 'complete') return summary;
  const reason: Reason = { code: 'upstream_silent', ...(open.cause !== null && { cause: open.cause }) };
  return { ...summary, verdict: 'cannot tell', isProvisional: false, reasons: [reason], basis: null, upstream: null };
}

interface ReportedDay extends ChosenJournal {
  readonly summary: DaySummary;
  /** Of a day with reasons. */
  readonly view: DayView | undefined;
  readonly gaps: readonly GapView[];
}

async function listGapsOf(days: Days, journalId: number, date: string): Promise<readonly GapView[]> {
  const found = await days.listGaps(journalId, date);
  return found?.sequences.flatMap(({ gaps }) => gaps) ?? [];
}

function hintOf(date: string, { from, to, between }: GapView): string {
  const numbers = from === to ? from : `${from} to ${to}`;
  return between === null
    ? `${date}  skipped numbers: ${numbers} (a hint: a sale may be missing here)`
    : `${between[0]} to ${between[1]}  skipped numbers: ${numbers} between these two days (a hint: a sale may be missing here)`;
}

/** What was compared, and when; the answers to the earlier interface have no such time. */
function describeBasis({ basis, checkedAt, passedAt, earlier, earlierTaken, here }: DaySummary): string {
  if (basis === null) return here === earlier && earlierTaken > 0 ? 'answers' : '-';
  if (basis === 'answers') return 'answers';
  const compared = `${basis}, ${formatTime(basis === 'ids' ? passedAt : checkedAt)}`;
  return earlier > 0 ? `${compared}; answers` : compared;
}

function othersHint(administration: string): string {
  return `If another system sends there too: ${PROGRAM} administrations set --administration ${quote(administration)} --others-send yes.`;
}

function describe({ administration, mode, summary, view, gaps }: ReportedDay) {
  const lists = new Map(view === undefined ? [] : listBehind(view));
  const idsOf = (name: ListName): readonly string[] => lists.get(name) ?? [];
  return {
    day: summary.date,
    verdict: summary.verdict,
    provisional: summary.isProvisional,
    here: summary.here,
    upstream: summary.upstream,
    declared: summary.declared,
    earlier: { here: summary.earlier, taken: summary.earlierTaken, basis: summary.earlier > 0 ? 'answers' : null },
    missingUpstream: idsOf('missing upstream'),
    missingHere: idsOf('missing here'),
    basis: summary.basis,
    administration,
    mode,
    reasons: summary.reasons.map(({ cause, ...reason }) => ({
      ...reason,
      ...(cause !== undefined && { cause: causeWithCommand(cause) }),
    })),
    notes: summary.notes,
    ...(isOnlyOfOthers(summary) && { hint: othersHint(administration) }),
    notSeenYet: idsOf('not seen yet'),
    notDeclared: idsOf('not declared'),
    twiceUpstream: idsOf('twice upstream'),
    otherUpstream: idsOf('other upstream'),
    signedBy: summary.signOff?.name ?? null,
    reopened: summary.signOff?.isReopened ?? false,
    skippedNumbers: gaps,
  };
}

type ListName =
  | 'not seen yet'
  | 'missing upstream'
  | 'missing here'
  | 'not declared'
  | 'twice upstream'
  | 'other upstream';

/** The ids behind the numbers, where there are any. */
function listBehind({ day, findings, declared }: DayView): [ListName, string[]][] {
  const isEarly = day.reasons.some(({ code }) => code === 'not_seen_yet');
  const nameOf = ({ kind, record }: DayView['findings'][number]): ListName =>
    kind === 'missing upstream' && isEarly && record?.delivery === 'delivered' ? 'not seen yet' : kind;
  const found = (name: ListName): string[] =>
    findings.filter((finding) => nameOf(finding) === name).map(({ externalId }) => externalId);
  const declaredMissing = declared.flatMap(({ ids }) => ids?.missing ?? []);
  const lists: [ListName, string[]][] = [
    ['not seen yet', found('not seen yet')],
    ['missing upstream', found('missing upstream')],
    ['missing here', [...new Set([...found('missing here'), ...declaredMissing])]],
    ['not declared', [...new Set(declared.flatMap(({ ids }) => ids?.undeclared ?? []))]],
    ['twice upstream', found('twice upstream')],
    ['other upstream', found('other upstream')],
  ];
  return lists.filter(([, ids]) => ids.length > 0);
}

type Sentence = (count: number, until: string, cause: string, day: DaySummary) => string;

const SENTENCES: Record<Reason['code'], Sentence> = {
  not_over: () => 'The day is not over.',
  on_the_way: (count, _, cause) => `${sales(count)} on the way upstream. ${cause}`.trim(),
  earlier_on_the_way: (count, _, cause) =>
    `${sales(count)} from the earlier interface on the way upstream. ${cause}`.trim(),
  not_seen_yet: (count, until, _, { reasons }) =>
    `${sales(count)} not seen upstream yet; that may take until ${until}.${reasons.some(({ code }) => code === 'sent_again') ? '' : ' To send them again at once: --resend.'}`,
  settling: (_, until, __, { here }) =>
    here === 0 ? `It is checked after ${until}.` : `What was sent may not be seen upstream before ${until}.`,
  to_be_checked: () => 'It is to be checked.',
  late_records: (count) => `${sales(count)} came after the last check.`,
  sent_again: (count) => `${sales(count)} sent again.`,
  missing_upstream: (count) => `${sales(count)} not upstream. To send them again: --resend.`,
  held: (count) => `${sales(count)} held: rejected by the upstream.`,
  set_aside: (count) => `${sales(count)} set aside.`,
  earlier_held: (count) => `${sales(count)} from the earlier interface held: rejected by the upstream.`,
  earlier_set_aside: (count) => `${sales(count)} from the earlier interface set aside.`,
  missing_here: (count) => `${sales(count)} upstream and not here.`,
  twice_upstream: (count) => `${sales(count)} upstream more than once.`,
  other_upstream: (count) => `${sales(count)} upstream with another type or time.`,
  declared_more: (count) => `${sales(count)} declared and not here.`,
  declared_less: (count) => `${sales(count)} here and not declared.`,
  damaged_here: (count) => `${sales(count)} damaged on the disk: ${PROGRAM} status.`,
  no_upstream: () => `No upstream address is set: ${PROGRAM} upstream set.`,
  earlier_no_upstream: (count) =>
    `No upstream address is set for ${sales(count)} from the earlier interface: ${PROGRAM} upstream set --interface earlier.`,
  upstream_silent: (_, __, cause) => cause,
  upstream_unreadable: (_, __, cause) => cause || "The upstream's answer cannot be read.",
};

const NOTES: Record<Note['code'], (count: number) => string> = {
  listed_twice: (count) =>
    `The upstream's list repeats ${count === 1 ? '1 entry' : `${count} entries`} with the same content. This is not a difference.`,
  counted_twice: (count) =>
    `The upstream counts ${sales(count)} twice, because ${count === 1 ? 'it was' : 'they were'} sent twice. This is not a difference.`,
  others_upstream: (count) => `${sales(count)} of other senders upstream.`,
};

function sales(count: number): string {
  return count === 1 ? '1 sale' : `${count} sales`;
}

function sentenceOf({ code, count = 0, until, cause }: Reason, day: DaySummary): string {
  return SENTENCES[code](count, formatTime(until ?? null), cause === undefined ? '' : causeWithCommand(cause), day);
}
