// Judges a step of the run sheet by its events. Pure. A step passes or fails by what the till sent, never by a person's word.

import {
  type CertifyEvent,
  type CertifyFinding,
  type CertifySale,
  type CertifyStep,
  type CertifyStepView,
  COME_BACK_SECONDS,
} from '../contract/certify.ts';
import { AHEAD_MINUTES, LATE_HOURS } from '../contract/records.ts';
import { assertNever } from '../errors.ts';

export interface Judgement {
  /** `waiting`: the till may still pass. If a person ends the step now, it has failed with this finding. */
  readonly kind: 'passed' | 'failed' | 'waiting';
  readonly finding: CertifyFinding;
}

/** Whether this sale came again after the till had got IGNORED or ERROR for it in a passed step. Both statuses are final. */
export function isResentAfterFinal(
  { externalId, status }: CertifySale,
  { name, state, events }: CertifyStepView,
): boolean {
  const last = events.at(-1);
  return (
    state === 'passed' &&
    FINAL_STEPS.has(name) &&
    last?.kind === 'sale' &&
    last.externalId === externalId &&
    last.status === status
  );
}

/** The steps that pass when the till gets IGNORED or ERROR. */
const FINAL_STEPS: ReadonlySet<CertifyStep> = new Set(['retry', 'changed_resend', 'lost_answer', 'slow_line']);

/** How much earlier than Retry-After a till may come back. Its timers may fire early. */
const MAX_EARLY_MS = 250;

/** The sales that the fault of an attempt hit. */
export interface HitSales {
  /** Number of remembered sales that have not come again. */
  readonly missing: number;
  /** Whether the fault hit more sales than are remembered. */
  readonly isTooMany: boolean;
}

/** Judges the events of one attempt at a step. */
export function judgeStep(step: CertifyStep, events: readonly CertifyEvent[], hit: HitSales): Judgement {
  const judgement = withoutCopy(step, events, judgeEvents(step, events, hit));
  // A refused call is the best explanation for a step in which nothing else has happened.
  const isUnexplained = judgement.kind === 'waiting' && judgement.finding === 'nothing_yet';
  return isUnexplained && events.some(({ kind }) => kind === 'refused') ? waiting('refused') : judgement;
}

/** The steps in which the till must send a sale again under the same id. */
const RESEND_STEPS: ReadonlySet<CertifyStep> = new Set(['retry', 'lost_answer', 'come_back', 'slow_line', 'wrong_key']);

/**
 * A copy is a retry under a new id, or an equal sale, and the gateway cannot know which. So the step waits until a person repeats it
 * with one sale.
 */
function withoutCopy(step: CertifyStep, events: readonly CertifyEvent[], judgement: Judgement): Judgement {
  if (judgement.kind === 'failed' || !RESEND_STEPS.has(step)) return judgement;
  if (judgement.finding === 'key_refused') return judgement; // a person must confirm first
  return events.some((event) => event.kind === 'sale' && event.isCopy) ? waiting('new_id') : judgement;
}

function judgeEvents(step: CertifyStep, events: readonly CertifyEvent[], hit: HitSales): Judgement {
  const sales = events.filter((event) => event.kind === 'sale');
  switch (step) {
    case 'first_sale':
      if (sales.some(({ status }) => status === 'NEW')) return passed('stored');
      return waiting(sales.length > 0 ? 'known_already' : 'nothing_yet');
    case 'retry':
      return (
        firstOf(sales, { IGNORED: passed('repeated'), ERROR: failed('changed') }) ?? waitingAfter(sales, 'not_repeated')
      );
    case 'changed_resend':
      return firstOf(sales, { ERROR: passed('conflict_kept') }) ?? waitingAfter(sales, 'no_conflict');
    case 'lost_answer':
      return judgeResend(events, sales, otherSale(events, sales) ?? 'awaiting_resend');
    case 'come_back':
      return judgeReturn(events, sales);
    case 'wrong_clock':
      return judgeClock(sales);
    case 'many_digits':
      return judgeDigits(sales);
    case 'slow_line':
      if (events.some(({ kind }) => kind === 'waited')) return judgeAwaited(events, sales);
      if (!events.some(({ kind }) => kind === 'gave up')) return judgeResend(events, sales, 'answer_delayed');
      return judgeResend(events, sales, otherSale(events, sales) ?? 'gave_up');
    case 'wrong_key':
      return judgeKept(events, sales, hit);
    case 'paging':
      return judgePages(events);
    default:
      return assertNever(step);
  }
}

/** A sale whose answer did not reach the till must come again, unchanged. */
function judgeResend(
  events: readonly CertifyEvent[],
  sales: readonly CertifySale[],
  expected: CertifyFinding,
): Judgement {
  const id = faultyId(events);
  if (id === undefined) return waitingAfter(sales, 'known_already'); // only a new sale gets the fault
  const resends = sales.filter(({ externalId, status }) => externalId === id && status !== 'NEW');
  return firstOf(resends, { IGNORED: passed('sent_again'), ERROR: failed('changed') }) ?? waiting(expected);
}

/** The till may have waited and sent the sale under a new id too. */
function judgeAwaited(events: readonly CertifyEvent[], sales: readonly CertifySale[]): Judgement {
  const other = otherSale(events, sales);
  return other === undefined ? passed('answer_awaited') : waiting(other);
}

function judgeReturn(events: readonly CertifyEvent[], sales: readonly CertifySale[]): Judgement {
  const id = faultyId(events);
  if (id === undefined) return waiting('nothing_yet');
  const calls = events.filter((event) => event.kind === 'sale' || event.kind === 'fault');
  if (calls.some(({ afterMs }) => afterMs !== null && isTooEarly(afterMs))) return failed('too_early');
  const later = sales.filter(({ afterMs }) => afterMs !== null); // the others were under way when the 503 was sent
  const again = later.find(({ externalId }) => externalId === id);
  if (again === undefined) return waiting(otherSale(events, later) ?? 'awaiting_wait');
  return again.isSame === false ? failed('changed') : passed('waited');
}

/** Whether a call came before the end of the Retry-After. `afterMs` counts from the answer. */
export function isTooEarly(afterMs: number): boolean {
  return afterMs < COME_BACK_SECONDS * 1000 - MAX_EARLY_MS;
}

/** The time of a resend says nothing about the clock, because the sale may be old. */
function judgeClock(sales: readonly CertifySale[]): Judgement {
  const newSales = sales.filter(({ status }) => status === 'NEW');
  if (newSales.some(isWrongClock)) return passed('clock_marked');
  return waitingAfter(sales, newSales.length > 0 ? 'clock_right' : 'known_already');
}

/** Whether the record list flags this sale. */
function isWrongClock({ clockSeconds }: CertifySale): boolean {
  return clockSeconds !== null && (clockSeconds > AHEAD_MINUTES * 60 || clockSeconds < -LATE_HOURS * 3600);
}

function judgeDigits(sales: readonly CertifySale[]): Judgement {
  const found = sales.find(({ digits }) => digits !== null)?.digits ?? null;
  if (found === null) return waitingAfter(sales, 'digits_missing');
  return typeof found === 'string' ? passed('digits_kept') : failed('digits_lost');
}

/** Every refused sale must come again, unchanged. */
function judgeKept(
  events: readonly CertifyEvent[],
  sales: readonly CertifySale[],
  { missing, isTooMany }: HitSales,
): Judgement {
  if (faultyId(events) === undefined) return waiting('nothing_yet');
  if (!events.some(({ kind }) => kind === 'confirmed')) return waiting('key_refused');
  if (sales.some(({ isSame }) => isSame === false)) return failed('changed');
  if (isTooMany) return waiting('too_many');
  return missing > 0 ? waiting('awaiting_kept') : passed('kept_and_sent');
}

function judgePages(events: readonly CertifyEvent[]): Judgement {
  const queries = events.filter((event) => event.kind === 'query');
  const refusal = events.find((event) => event.kind === 'refused' && event.code === 'cursor_invalid');
  if (refusal !== undefined) return failed('cursor_changed');
  if (queries.some(({ page, isLast }) => isLast && page !== null && page > 1)) return passed('pages_read');
  const last = queries.at(-1);
  if (last === undefined) return waiting('nothing_yet');
  if (!last.isExpanded) return waiting('not_expanded');
  return waiting(last.isLast ? 'too_few' : 'page_missing');
}

/** The id of the sale that the first fault hit. */
function faultyId(events: readonly CertifyEvent[]): string | undefined {
  return events.find((event) => event.kind === 'fault')?.externalId;
}

/** A finding if a new sale came instead of the one that the fault hit: maybe a retry under a new id. */
function otherSale(events: readonly CertifyEvent[], sales: readonly CertifySale[]): 'other_sale' | undefined {
  const id = faultyId(events);
  return sales.some(({ externalId, status }) => status === 'NEW' && externalId !== id) ? 'other_sale' : undefined;
}

/** The judgement of the first sale whose status decides. */
function firstOf(
  sales: readonly CertifySale[],
  by: Partial<Record<CertifySale['status'], Judgement>>,
): Judgement | undefined {
  return sales.map(({ status }) => by[status]).find((judgement) => judgement !== undefined);
}

/** Waits: with the finding if a sale came that did not decide, otherwise for the first call. */
function waitingAfter(sales: readonly CertifySale[], finding: CertifyFinding): Judgement {
  return waiting(sales.length > 0 ? finding : 'nothing_yet');
}

function passed(finding: CertifyFinding): Judgement {
  return { kind: 'passed', finding };
}

function failed(finding: CertifyFinding): Judgement {
  return { kind: 'failed', finding };
}

function waiting(finding: CertifyFinding): Judgement {
  return { kind: 'waiting', finding };
}
