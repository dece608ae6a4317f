// The report of `counterfoil days` and `counterfoil reconcile`: a table with a sentence for each reason, or JSON.

import { causeWithCommand, type ShownOptions } from '../cause.ts';
import type { Interface, Mode } from '../contract/codes.ts';
import { listMoney } from '../contract/day-money.ts';
import { type DayCheck, type DaySummary, isOnlyOfOthers } from '../contract/days.ts';
import type { GapView } from '../contract/gaps.ts';
import type { Reason } from '../contract/verdicts.ts';
import { shownCommand } from '../data-location.ts';
import { OperatorError } from '../errors.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import type { RecordBehind } from '../reconcile/behind.ts';
import type { Days } from '../reconcile/days.ts';
import type { OpenCheck } from '../store/checks/ledger.ts';
import { interfaceOf, NOTES, sentenceOf } from './day-sentences.ts';
import { type CommonOptions, formatTime, inert, printJson, printTable, shownOptions } from './output.ts';

/** The exit code if at least one day has the verdict `differs`. */
export const EXIT_DIFFERS = 3;
/** The exit code if the upstream did not answer, if its answer is unreadable, or if a sale on the disk is damaged. */
export const EXIT_UNKNOWN = 1;
/** Maximum printed lines about skipped numbers in a report of several days. Some shops skip a number every day. */
const MAX_HINTS = 20;

export interface ChosenJournal {
  readonly id: number;
  readonly administration: string;
  readonly mode: Mode;
}

/**
 * Prints the report of all days that have begun, and sets the exit code. With `wanted: 'known'`, prints only days that have
 * data.
 */
export async function reportDays(
  days: Days,
  journals: readonly ChosenJournal[],
  { from, to }: { readonly from: string; readonly to: string },
  options: CommonOptions,
  { wanted, stalled }: { readonly wanted: 'all' | 'known'; readonly stalled: readonly OpenCheck[] },
): Promise<void> {
  const rows: ReportedDay[] = [];
  const stalls: string[] = [];
  for (const journal of journals) {
    const list = await days.list(journal.id, from, to);
    if (list === undefined) throw new OperatorError(`${journal.administration} no longer exists.`);
    const shown = {
      current: shownOptions({ ...journal, interface: 'current' }, options),
      earlier: shownOptions({ ...journal, interface: 'earlier' }, options),
    };
    if (wanted === 'known') stalls.push(...listStalls(journal, list.checks, { from, to }, shown.current));
    for (const known of list.days) {
      if (known.date > list.today) break;
      const summary = asAsked(
        known,
        stalled.filter(({ journalId }) => journalId === journal.id),
      );
      const isBefore = list.first === null || summary.date < list.first;
      if (isBefore && wanted === 'known' && summary.basis === null && summary.declared === null) continue;
      const behind = summary.reasons.length > 0 ? await days.listBehind(journal.id, summary.date) : undefined;
      // the reasons of `known`, because `asAsked` may have replaced them
      const mayComeYet = known.reasons.some(({ code }) => code === 'not_seen_yet');
      const lists = behind === undefined ? NO_LISTS : await sortByList(behind, mayComeYet);
      const gaps = summary.here > 0 ? await listGapsOf(days, journal.id, summary.date) : [];
      rows.push({ ...journal, summary, lists, gaps, shown });
    }
  }
  const unknown: readonly string[] = ['upstream_unreadable', 'damaged_here'];
  if (rows.some(({ summary }) => summary.reasons.some(({ code }) => unknown.includes(code))))
    process.exitCode = EXIT_UNKNOWN;
  if (rows.some(({ summary }) => summary.verdict === 'differs')) process.exitCode = EXIT_DIFFERS;
  if (options.json === true) return printJson(rows.map((row) => describe(row, options)));
  for (const stall of stalls) console.log(`${inert(stall)}\n`);
  printTable(
    ['day', 'verdict', 'here', 'upstream', 'declared', 'checked', 'signed', 'administration', 'mode', 'why'],
    rows.map(({ administration, mode, summary, lists, shown }) => [
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
        ...summary.reasons.map((reason) => sentenceOf(reason, summary, shown)),
        ...listUntold(summary, lists),
        ...summary.notes.map((note) => NOTES[note.code](note.count)),
        ...(isOnlyOfOthers(summary) ? [othersHint(administration, options)] : []),
      ].join(' '),
    ]),
  );
  for (const { summary, lists } of rows)
    for (const name of LIST_NAMES) {
      const ids = lists.get(name);
      if (ids !== undefined) console.log(inert(`${summary.date}  ${name}: ${[...ids].join(', ')}`));
    }
  // A gap between two days is in the data of both days, but is printed only once.
  const hints = [...new Set(rows.flatMap(({ summary, gaps }) => gaps.map((gap) => hintOf(summary.date, gap))))];
  const shown = from === to ? hints : hints.slice(0, MAX_HINTS);
  for (const hint of shown) console.log(inert(hint));
  if (hints.length > shown.length)
    console.log(`… and ${hints.length - shown.length} more skipped numbers; --json or --day shows more.`);
}

/**
 * Lists the checks of these days that wait for the upstream. Until such a check ends, the table shows the older results of its
 * days.
 */
function listStalls(
  { administration, mode }: ChosenJournal,
  checks: readonly DayCheck[],
  { from, to }: { readonly from: string; readonly to: string },
  shown: ShownOptions,
): string[] {
  return checks
    .filter((check) => check.stalledAt !== null && check.next <= to && check.to >= from)
    .map(({ next, to: last, stalledAt, cause }) => {
      const days = next === last ? next : `${next} to ${last}`;
      const why = cause === null ? '' : ` ${causeWithCommand(cause, shown)}`;
      return `${administration} (${mode}): ${days} cannot be checked, since ${formatTime(stalledAt)}.${why}`;
    });
}

/**
 * Turns the verdict `complete` into `cannot tell` if a new check of the day is still waiting for the upstream. The old verdict
 * may be wrong.
 */
function asAsked(summary: DaySummary, stalled: readonly OpenCheck[]): DaySummary {
  const open = stalled.find(({ next, to }) => next <= summary.date && summary.date <= to);
  if (open === undefined || summary.verdict !== 'complete') return summary;
  const reason: Reason = { code: 'upstream_silent', ...(open.cause !== null && { cause: open.cause }) };
  return { ...summary, verdict: 'cannot tell', isProvisional: false, reasons: [reason], basis: null, upstream: null };
}

interface ReportedDay extends ChosenJournal {
  readonly summary: DaySummary;
  /** The ids behind the day's numbers. Empty if the day has no reasons. */
  readonly lists: Lists;
  readonly gaps: readonly GapView[];
  readonly shown: Record<Interface, ShownOptions>;
}

async function listGapsOf(days: Days, journalId: number, date: string): Promise<readonly GapView[]> {
  const found = await days.listGaps(journalId, date);
  return found?.sequences.flatMap(({ gaps }) => gaps) ?? [];
}

function hintOf(date: string, { from, to, between }: GapView): string {
  const numbers = from === to ? from : `${from} to ${to}`;
  return between === null
    ? `${date}  skipped numbers: ${numbers} (a hint: a sale may be missing)`
    : `${between[0]} to ${between[1]}  skipped numbers: ${numbers} between these two days (a hint: a sale may be missing)`;
}

/**
 * Describes what was compared, and when. If only the upstream's answers on the earlier interface were compared, there is no
 * time.
 */
function describeBasis({ basis, checkedAt, passedAt, earlier, earlierTaken, here }: DaySummary): string {
  if (basis === null) return here === earlier && earlierTaken > 0 ? 'answers' : '-';
  if (basis === 'answers') return 'answers';
  const compared = `${basis}, ${formatTime(basis === 'ids' ? passedAt : checkedAt)}`;
  return earlier > 0 ? `${compared}; answers` : compared;
}

function othersHint(administration: string, { data }: CommonOptions): string {
  return `If another system sends there too: ${shownCommand(data, `administrations set --administration ${shellArgument(administration)} --others-send yes`)}.`;
}

function describe({ administration, mode, summary, lists, gaps, shown }: ReportedDay, options: CommonOptions) {
  const idsOf = (name: ListName): readonly string[] => [...(lists.get(name) ?? [])];
  return {
    day: summary.date,
    verdict: summary.verdict,
    provisional: summary.isProvisional,
    here: summary.here,
    upstream: summary.upstream,
    declared: summary.declared,
    amounts: listAmounts(summary),
    earlier: { here: summary.earlier, taken: summary.earlierTaken, basis: summary.earlier > 0 ? 'answers' : null },
    missingUpstream: idsOf('missing upstream'),
    missingHere: idsOf('missing here'),
    basis: summary.basis,
    administration,
    mode,
    reasons: summary.reasons.map(({ cause, ...reason }) => ({
      ...reason,
      ...(cause !== undefined && { cause: causeWithCommand(cause, shown[interfaceOf(reason.code)]) }),
    })),
    notes: summary.notes,
    ...(isOnlyOfOthers(summary) && { hint: othersHint(administration, options) }),
    notSeenYet: idsOf('not seen yet'),
    notDeclared: idsOf('not declared'),
    twiceUpstream: idsOf('twice upstream'),
    otherUpstream: idsOf('other upstream'),
    signedBy: summary.signOff?.name ?? null,
    reopened: summary.signOff?.isReopened ?? false,
    skippedNumbers: gaps,
  };
}

/** Lists the money of each currency. Null while the gateway is still reading old amounts. */
function listAmounts({ here, amounts, declaredAmounts }: DaySummary) {
  if (amounts === null) return null;
  const money = listMoney(amounts, declaredAmounts);
  // If there is no rule, all records count as records without an amount.
  return amounts.length > 0 ? money : money.map((each) => ({ ...each, withoutAmount: here }));
}

/**
 * A sentence about sales that are missing here, if no reason says so. While a sale waits, the last check decides nothing, but
 * its findings are listed.
 */
function listUntold({ reasons }: DaySummary, lists: Lists): string[] {
  const missing = lists.get('missing here')?.size ?? 0;
  if (missing === 0 || reasons.some(({ code }) => code === 'missing_here' || code === 'declared_more')) return [];
  return [`The last check found ${missing === 1 ? '1 sale that is' : `${missing} sales that are`} missing here.`];
}

/** The names of the lists, in the order of the report. */
const LIST_NAMES = [
  'not seen yet',
  'missing upstream',
  'missing here',
  'not declared',
  'twice upstream',
  'other upstream',
] as const;
type ListName = (typeof LIST_NAMES)[number];
/** The ids of each list. Leaves out empty lists. */
type Lists = ReadonlyMap<ListName, ReadonlySet<string>>;
const NO_LISTS: Lists = new Map();

async function sortByList(behind: AsyncIterable<RecordBehind>, mayComeYet: boolean): Promise<Lists> {
  const lists = new Map<ListName, Set<string>>();
  for await (const row of behind) {
    const name = listOf(row, mayComeYet);
    lists.set(name, (lists.get(name) ?? new Set()).add(row.externalId));
  }
  return lists;
}

function listOf(row: RecordBehind, mayComeYet: boolean): ListName {
  if (row.kind === 'declared, not here') return 'missing here';
  if (row.kind === 'here, not declared') return 'not declared';
  return row.kind === 'missing upstream' && mayComeYet && row.record?.delivery === 'delivered'
    ? 'not seen yet'
    : row.kind;
}
