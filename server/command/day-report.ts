// The report of `counterfoil days` and `counterfoil reconcile`: a table with a sentence for each reason, or JSON.

import { causeWithCommand } from '../cause.ts';
import type { Mode } from '../contract/codes.ts';
import { listMoney } from '../contract/day-money.ts';
import { type DayCheck, type DaySummary, type DayView, isOnlyOfOthers } from '../contract/days.ts';
import type { GapView } from '../contract/gaps.ts';
import type { Reason } from '../contract/verdicts.ts';
import { OperatorError } from '../errors.ts';
import { shellArgument } from '../lib/shell-argument.ts';
import { PROGRAM } from '../program.ts';
import type { Days } from '../reconcile/days.ts';
import type { OpenCheck } from '../store/checks/ledger.ts';
import { NOTES, sentenceOf } from './day-sentences.ts';
import { type CommonOptions, formatTime, inert, printJson, printTable } from './output.ts';

/** The exit code if at least one day has the verdict `differs`. */
export const EXIT_DIFFERS = 3;
/** The exit code if the upstream did not answer, if its answer is unreadable, or if a sale on the disk is damaged. */
export const EXIT_UNKNOWN = 1;
/** Maximum printed lines about skipped numbers in a report of several days. Some shops skip a number every day. */
const MAX_HINTS = 20;
/** A limit that is higher than the number of records on any day. With it, the report lists all records behind a number. */
const ALL = 10_000_000;

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
): string[] {
  return checks
    .filter((check) => check.stalledAt !== null && check.next <= to && check.to >= from)
    .map(({ next, to: last, stalledAt, cause }) => {
      const days = next === last ? next : `${next} to ${last}`;
      const why = cause === null ? '' : ` ${causeWithCommand(cause)}`;
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
  /** The details of the day. Undefined if the day has no reasons. */
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

function othersHint(administration: string): string {
  return `If another system sends there too: ${PROGRAM} administrations set --administration ${shellArgument(administration)} --others-send yes.`;
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
    amounts: listAmounts(summary),
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

/** Lists the money of each currency. Null while the gateway is still reading old amounts. */
function listAmounts({ here, amounts, declaredAmounts }: DaySummary) {
  if (amounts === null) return null;
  const money = listMoney(amounts, declaredAmounts);
  // If there is no rule, all records count as records without an amount.
  return amounts.length > 0 ? money : money.map((each) => ({ ...each, withoutAmount: here }));
}

type ListName =
  | 'not seen yet'
  | 'missing upstream'
  | 'missing here'
  | 'not declared'
  | 'twice upstream'
  | 'other upstream';

/** Lists the ids behind the day's numbers. The key is the name of the list. Leaves out empty lists. */
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
