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
  /** `waiting`: the till can still pass the step. If a person ends the step now, the step has failed with this finding. */
  readonly kind: 'passed' | 'failed' | 'waiting';
  readonly finding: CertifyFinding;
}

/**
 * Whether the till sent this sale again, although a step had already passed with the status IGNORED or ERROR for it. Both
 * statuses are final, so the till should have stopped.
 */
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

/** A till may come back this much earlier than Retry-After says, because timers can fire too early. */
const MAX_EARLY_MS = 250;

/** Data about the sales that got the fault in one attempt at a step. */
export interface HitSales {
  /** How many of these sales the till has not sent again. Counts only sales that the gateway remembers. */
  readonly missing: number;
  /** Whether more sales got the fault than the gateway remembers. */
  readonly isTooMany: boolean;
}

/** Judges the events of one attempt at a step. */
export function judgeStep(step: CertifyStep, events: readonly CertifyEvent[], hit: HitSales): Judgement {
  const judgement = withoutCopy(step, events, judgeEvents(step, events, hit));
  // If nothing else has happened in the step, a refused call explains best why the step has not passed.
  const isUnexplained = judgement.kind === 'waiting' && judgement.finding === 'nothing_yet';
  return isUnexplained && events.some(({ kind }) => kind === 'refused') ? waiting('refused') : judgement;
}

/** The steps in which the till must send a sale again under the same id. */
const RESEND_STEPS: ReadonlySet<CertifyStep> = new Set(['retry', 'lost_answer', 'come_back', 'slow_line', 'wrong_key']);

/**
 * A copy is either a retry under a new id, or a second sale with equal content. The gateway cannot know which of the two it is.
 * So the step stays open until a person starts it again and the till sends only one sale.
 */
function withoutCopy(step: CertifyStep, events: readonly CertifyEvent[], judgement: Judgement): Judgement {
  if (judgement.kind === 'failed' || !RESEND_STEPS.has(step)) return judgement;
  // a person must first confirm that the till showed the refused key
  if (judgement.finding === 'key_refused') return judgement;
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

/** Judges a step in which the answer to a sale did not reach the till. The till must send that sale again, unchanged. */
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

/**
 * Judges a till that waited for a delayed answer. If the till may also have sent the sale again under a new id, the step stays
 * open.
 */
function judgeAwaited(events: readonly CertifyEvent[], sales: readonly CertifySale[]): Judgement {
  const other = otherSale(events, sales);
  return other === undefined ? passed('answer_awaited') : waiting(other);
}

function judgeReturn(events: readonly CertifyEvent[], sales: readonly CertifySale[]): Judgement {
  const id = faultyId(events);
  if (id === undefined) return waiting('nothing_yet');
  const calls = events.filter((event) => event.kind === 'sale' || event.kind === 'fault');
  if (calls.some(({ afterMs }) => afterMs !== null && isTooEarly(afterMs))) return failed('too_early');
  // leaves out sales whose call had begun before the 503 was sent
  const later = sales.filter(({ afterMs }) => afterMs !== null);
  const again = later.find(({ externalId }) => externalId === id);
  if (again === undefined) return waiting(otherSale(events, later) ?? 'awaiting_wait');
  return again.isSame === false ? failed('changed') : passed('waited');
}

/** Whether a call came before the time in Retry-After. `afterMs` is the time since the answer with Retry-After. */
export function isTooEarly(afterMs: number): boolean {
  return afterMs < COME_BACK_SECONDS * 1000 - MAX_EARLY_MS;
}

/**
 * Judges whether the till's clock is wrong. Ignores resends: a resent sale may be old, so its time says nothing about the
 * clock.
 */
function judgeClock(sales: readonly CertifySale[]): Judgement {
  const newSales = sales.filter(({ status }) => status === 'NEW');
  if (newSales.some(isWrongClock)) return passed('clock_marked');
  return waitingAfter(sales, newSales.length > 0 ? 'clock_right' : 'known_already');
}

/** Whether the list of records would flag the time of this sale. */
function isWrongClock({ clockSeconds }: CertifySale): boolean {
  return clockSeconds !== null && (clockSeconds > AHEAD_MINUTES * 60 || clockSeconds < -LATE_HOURS * 3600);
}

function judgeDigits(sales: readonly CertifySale[]): Judgement {
  const found = sales.find(({ digits }) => digits !== null)?.digits ?? null;
  if (found === null) return waitingAfter(sales, 'digits_missing');
  return typeof found === 'string' ? passed('digits_kept') : failed('digits_lost');
}

/** Judges whether the till sent every refused sale again, unchanged. */
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

/** The id of the sale that got the first fault. */
function faultyId(events: readonly CertifyEvent[]): string | undefined {
  return events.find((event) => event.kind === 'fault')?.externalId;
}

/**
 * Returns `other_sale` if a new sale came with another id than the sale with the fault. The new sale may be a retry under a new
 * id.
 */
function otherSale(events: readonly CertifyEvent[], sales: readonly CertifySale[]): 'other_sale' | undefined {
  const id = faultyId(events);
  return sales.some(({ externalId, status }) => status === 'NEW' && externalId !== id) ? 'other_sale' : undefined;
}

/** Returns the judgement of the first sale whose status is in `by`. Undefined if there is none. */
function firstOf(
  sales: readonly CertifySale[],
  by: Partial<Record<CertifySale['status'], Judgement>>,
): Judgement | undefined {
  return sales.map(({ status }) => by[status]).find((judgement) => judgement !== undefined);
}

/** Returns the judgement `waiting`. Its finding is `finding` if a sale has come, otherwise `nothing_yet`. */
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
