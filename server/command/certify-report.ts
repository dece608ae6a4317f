// Writes the report of a certification as sentences, for the command line. Pure. A test checks that the console has the same
// sentences.

import {
  type Certification,
  CERTIFY_IDLE_MINUTES,
  type CertifyEvent,
  type CertifyFault,
  type CertifyFinding,
  type CertifyRunState,
  type CertifySale,
  type CertifyStep,
  type CertifyStepState,
  type CertifyStepView,
  COME_BACK_SECONDS,
  countOpen,
  countResults,
  MANY_DIGITS,
  MAX_NORMAL_CLOCK_SECONDS,
  outcomeOf,
  secondsOf,
  MAX_KEPT_SALES,
  SLOW_LINE_SECONDS,
} from '../contract/certify.ts';
import { assertNever } from '../errors.ts';
import { formatTime, labelledLines } from './output.ts';

export function reportLines(run: Certification): string[] {
  const { passed, failed, skipped } = countResults(run.steps);
  return [
    `Report ${run.id}: ${headline(run)}`,
    `${passed} passed, ${failed} failed, ${skipped} skipped, ${countOpen(run.steps)} not tested.`,
    '',
    ...labelledLines([
      ['store', [run.administration]],
      ['till', [run.till]],
      ['test key', [String(run.keyId)]],
      ['started', [formatTime(run.startedAt)]],
      ['ended', [endOf(run)]],
      ['certified by', [run.by]],
      ['gateway', [`Counterfoil ${run.version}`]],
    ]),
    '',
    ...run.steps.flatMap(stepLines),
  ];
}

export const RUN_STATES: Readonly<Record<CertifyRunState, string>> = {
  running: 'running',
  ended: 'ended',
  timed_out: 'timed out',
  interrupted: 'interrupted',
};

function headline({ till, state, steps }: Certification): string {
  if (state === 'running') return `The certification of ${till} is still running.`;
  const outcome = outcomeOf(steps);
  const { failed } = countResults(steps);
  switch (outcome) {
    case 'someFailed':
      return `${till} failed ${failed} ${failed === 1 ? 'step' : 'steps'}.`;
    case 'notFinished':
      return `${till} was not fully tested.`;
    case 'passedSome':
      return `${till} passed every tested step.`;
    case 'allPassed':
      return `${till} passed the certification.`;
    default:
      return assertNever(outcome);
  }
}

function endOf({ state, endedAt }: Certification): string {
  const time = formatTime(endedAt);
  switch (state) {
    case 'running':
      return 'still running';
    case 'ended':
      return time;
    case 'timed_out':
      return `${time}, after ${CERTIFY_IDLE_MINUTES} minutes without a call`;
    case 'interrupted':
      return endedAt === null ? 'the gateway stopped' : `${time}, because the gateway stopped`;
    default:
      return assertNever(state);
  }
}

function stepLines(step: CertifyStepView, index: number): string[] {
  const { name, state, attempts, finding, reason, events, dropped = 0, missing = 0 } = step;
  const isTested = state === 'passed' || state === 'failed';
  const again = isTested && attempts > 1 ? ` (attempt ${attempts})` : '';
  const details = [
    ...((isTested || state === 'skipped') && finding !== null
      ? [FINDINGS[finding].replace('{{missing}}', String(missing))]
      : []),
    ...(reason === '' ? [] : [`Reason: ${reason}`]),
    ...(isTested ? events.map((event) => `${formatTime(event.at)}  ${eventSentence(event)}`) : []),
    ...(isTested && dropped > 0 ? [`and ${dropped} more`] : []),
  ];
  return [`${index + 1}. ${STEPS[name]}: ${STEP_STATES[state]}${again}`, ...details.map((line) => `   ${line}`)];
}

const STEP_STATES: Readonly<Record<CertifyStepState, string>> = {
  open: 'not tested',
  active: 'not tested',
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
};

const STEPS: Readonly<Record<CertifyStep, string>> = {
  first_sale: 'First sale',
  retry: 'Retry',
  changed_resend: 'Changed resend',
  lost_answer: 'Lost answer',
  come_back: '503 with Retry-After',
  wrong_clock: 'Wrong clock',
  many_digits: 'Number with 20 digits',
  slow_line: 'Slow connection',
  wrong_key: 'Wrong key',
  paging: 'Page through 501 records',
};

const FINDINGS: Readonly<Record<CertifyFinding, string>> = {
  stored: 'The sale is stored: NEW.',
  known_already: 'The id of this sale is already known. Make a new sale with a new id.',
  repeated: 'The same sale came again: IGNORED.',
  not_repeated: 'A new sale came. A retry must keep the id, the time and the content of the last sale.',
  changed: 'The till sent the sale again, but changed it. Store the sale once, and send the stored bytes again.',
  new_id:
    'An equal sale came with another id. Either the till repeated the sale with a new id, so that it counts twice, or this is a second sale. Repeat the step, and make only one sale.',
  other_sale:
    'A sale with another id came. A retry must keep the id, time and content of the sale. If you made a second sale, repeat the step, and make only one sale.',
  kept_sending:
    'The gateway had answered, but the till sent the sale again. IGNORED and ERROR are final: stop sending the sale.',
  conflict_kept: 'The changed sale got ERROR. The original counts.',
  no_conflict: 'No changed sale with a known id came yet. Keep the id and change the amount.',
  sent_again: 'The same sale came again: IGNORED. Nothing is lost.',
  awaiting_resend: 'The answer was lost. The till has not sent the sale again with the same id yet.',
  waited: 'The till waited and sent the same sale again.',
  too_early: `The till called again before ${COME_BACK_SECONDS} seconds were over. Wait as long as Retry-After says.`,
  awaiting_wait: 'The till got 503. It has not sent the sale again with the same id yet.',
  clock_marked: 'The sale is stored and marked: the till’s clock is wrong.',
  clock_right:
    'Records does not show “clock ahead” for this sale, because the till’s clock was right. Set the clock 10 minutes ahead.',
  digits_kept: 'The number arrived with every digit.',
  digits_lost: 'The till lost digits of the number. Use a decimal type, or send the number as a text.',
  digits_missing: `A sale came without the number ${MANY_DIGITS} in “object”.`,
  answer_awaited: 'The till waited for the slow answer.',
  gave_up: 'The till stopped waiting. It must send the same sale again.',
  answer_delayed: `The sale is stored. The answer is delayed by ${SLOW_LINE_SECONDS} seconds.`,
  key_refused: 'The key is refused. Confirm as soon as the till shows the refusal.',
  kept_and_sent: 'The till kept every refused sale and sent it unchanged.',
  awaiting_kept:
    'The key is valid again. Refused sales that are still missing: {{missing}}. Keep each sale and its id until it is accepted.',
  too_many: `The gateway refused more than ${MAX_KEPT_SALES} sales and checks only ${MAX_KEPT_SALES} of them. Of the checked sales, {{missing}} are missing. Repeat the step with fewer sales.`,
  pages_read: 'The till followed next_cursor to the last page.',
  page_missing: 'The till has not read every page. Follow next_cursor until it is null.',
  too_few: 'The range has only one page. Query a range with two or more test records, from the first page.',
  not_expanded: 'The till asked only for the number of records. Query with expand=raw_transactions.',
  cursor_changed:
    'The till changed next_cursor or another part of the query. Send the received next_cursor, and leave the rest of the query unchanged.',
  refused: 'The gateway refused the call. The evidence says why.',
  nothing_yet: 'No call yet.',
  no_queries: 'Does not apply: the earlier interface has no queries.',
};

function eventSentence(event: CertifyEvent): string {
  switch (event.kind) {
    case 'sale':
      return saleSentence(event);
    case 'refused':
      return `Refused: ${event.status} ${event.code}. ${event.detail}`;
    case 'fault':
      return afterFault(`Fault for ${event.externalId}: ${faultWords(event)}`, event.afterMs);
    case 'waited':
      return `${event.externalId}: the till got the answer after ${secondsOf(event.afterMs)} s`;
    case 'gave up':
      return `${event.externalId}: the till closed the connection after ${secondsOf(event.afterMs)} s`;
    case 'query':
      if (!event.isExpanded) return `Count without records: ${event.count}`;
      return `${event.page === null ? 'A page with an old cursor' : `Page ${event.page}`}: ${event.records} of ${event.count} records`;
    case 'confirmed':
      return `${event.by} confirmed that the till showed the refusal`;
    default:
      return assertNever(event);
  }
}

function faultWords({ fault, calls }: CertifyFault): string {
  switch (fault) {
    case 'lost_answer':
      return 'stored, connection closed without an answer';
    case 'busy':
      return '503 with Retry-After, not stored';
    case 'slow':
      return 'stored, answer delayed';
    case 'key_refused':
      return `401, not stored (${calls}×)`;
    default:
      return assertNever(fault);
  }
}

const SALE_STATUSES: Readonly<Record<CertifySale['status'], string>> = {
  NEW: 'NEW',
  IGNORED: 'IGNORED, known id with the same content',
  ERROR: 'ERROR, known id with other content',
};

function saleSentence(sale: CertifySale): string {
  const { externalId, recordId, status, clockSeconds, digits, isSame, isCopy, afterMs } = sale;
  const compared = isSame === null ? [] : [isSame ? 'unchanged' : 'changed'];
  return [
    afterFault(`${externalId}: record ${recordId}, ${SALE_STATUSES[status]}`, afterMs),
    ...(clockSeconds === null ? [] : [clockWords(clockSeconds)]),
    ...(digits === null ? [] : [digitsWords(digits)]),
    ...(isCopy ? ['equal sale with another id'] : compared),
  ].join(', ');
}

function clockWords(seconds: number): string {
  const difference = Math.abs(seconds);
  if (difference <= MAX_NORMAL_CLOCK_SECONDS) return 'clock right';
  return `clock ${Math.round(difference / 60)} min ${seconds > 0 ? 'ahead' : 'behind'}`;
}

function digitsWords(digits: NonNullable<CertifySale['digits']>): string {
  return typeof digits === 'string' ? `all digits kept, sent as a ${digits}` : `the number arrived as ${digits.lost}`;
}

function afterFault(what: string, afterMs: number | null): string {
  return afterMs === null ? what : `${what}, ${secondsOf(afterMs)} s after the fault`;
}
