// Watches one attempt at a step: injects its fault into the calls of the key, notes the events and judges them. It injects nothing
// after the attempt has ended.

import type { ServerResponse } from 'node:http';

import {
  type CertifyEvent,
  type CertifyEvidence,
  type CertifyFault,
  type CertifyStep,
  COME_BACK_SECONDS,
  MAX_KEPT_SALES,
  SLOW_LINE_SECONDS,
} from '../contract/certify.ts';
import { GatewayError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { listDifferences } from '../store/records/comparison.ts';
import { contentOf, textOfBody } from '../store/records/content.ts';
import { pickMembers, Unread } from '../store/records/exact-json.ts';
import { findDigits } from './digits.ts';
import { isTooEarly, type Judgement, judgeStep } from './judge.ts';
import type { AnsweredQuery, ReceivedSale, SentSale, Trial } from './trial.ts';

/**
 * Maximum stored events of an attempt. When there are more, an old event is dropped for each new one. The first 20 events and
 * the first event of each kind are always kept.
 */
const MAX_EVENTS = 60;
const MAX_FIRST_EVENTS = 20;
/** Maximum cursors that the gateway remembers for one attempt. */
const MAX_CURSORS = 10_000;

/** All refusals that were injected by steps. */
const injected = new WeakSet<GatewayError>();

export function isInjected(refusal: GatewayError): boolean {
  return injected.has(refusal);
}

export interface StepWatch extends Trial {
  /** The latest sale of this step. If this step has none yet, it is the latest sale of the earlier steps. */
  readonly lastSale: () => SentSale | undefined;
  readonly events: readonly CertifyEvent[];
  /** Number of events that were dropped. */
  readonly dropped: () => number;
  /** Number of sales that got the fault and that the till has not sent again. */
  readonly missing: () => number;
  readonly judgement: () => Judgement;
  /**
   * Notes a person's confirmation that the till showed the refused key. After that, the key is valid again. Does nothing if no
   * sale was refused because of the key.
   */
  confirm(by: string): void;
  /** Ends every fault of this step, and sends the answers that are still delayed. */
  end(): void;
}

/** Watches a step. `onEvent` is called after each new event. `lastSale` is the latest sale before the step. */
export function watchStep(step: CertifyStep, clock: Clock, onEvent: () => void, lastSale?: SentSale): StepWatch {
  const events: CertifyEvent[] = [];
  /** By cursor: the number of the page that the cursor leads to. Contains the cursors that the till got in this attempt. */
  const pages = new Map<string, number>();
  let dropped = 0;
  /**
   * The sales that the till must send again, by id. In the step `retry`, it is the latest sale. In other steps, these are the
   * sales that got the fault.
   */
  const awaited = new Map<string, SentSale>();
  if (step === 'retry' && lastSale !== undefined) awaited.set(lastSale.externalId, lastSale);
  /** The ids of the awaited sales that have not come again. */
  const missing = new Set<string>();
  let isTooMany = false;
  let latest = lastSale;
  let firstFaultAt: number | undefined;
  let isOver = false;
  const delays = new Set<() => void>();

  const judgement = (): Judgement => judgeStep(step, events, { missing: missing.size, isTooMany });
  const sinceFault = (): number | null =>
    firstFaultAt === undefined ? null : Math.round(clock.monotonic() - firstFaultAt);
  /** Whether the call began before the first fault. If it did, it cannot be a reaction to the fault. */
  const wasUnderWay = ({ begunAt }: SentSale): boolean => firstFaultAt !== undefined && begunAt < firstFaultAt;

  function note(event: CertifyEvidence): void {
    if (isOver) return;
    events.push({ ...event, at: clock.now() });
    if (events.length > MAX_EVENTS) {
      events.splice(findDroppable(events), 1);
      dropped += 1;
    }
    onEvent();
  }

  function awaitAgain(sale: SentSale): void {
    const { externalId } = sale;
    if (awaited.has(externalId)) return;
    if (awaited.size === MAX_KEPT_SALES) {
      isTooMany = true;
      return;
    }
    awaited.set(externalId, sale);
    missing.add(externalId);
  }

  /** Notes a fault. If one sale is refused several times in a row because of the key, this becomes one event with a count. */
  function noteFault(fault: CertifyFault['fault'], sale: SentSale): void {
    const { externalId } = sale;
    const last = events.at(-1);
    const afterMs = sinceFault();
    firstFaultAt ??= clock.monotonic();
    awaitAgain(sale);
    if (last?.kind === 'fault' && last.externalId === externalId && fault === 'key_refused') {
      events[events.length - 1] = { ...last, calls: last.calls + 1 };
      return onEvent();
    }
    note({ kind: 'fault', fault, externalId, afterMs, calls: 1 });
  }

  const isKeyRefused = (): boolean =>
    !isOver && step === 'wrong_key' && !events.some(({ kind }) => kind === 'confirmed');

  function refuseSale(sale: SentSale): void {
    if (isKeyRefused()) {
      noteFault('key_refused', sale);
      inject(keyRefused());
    }
    if (isOver || step !== 'come_back') return;
    const afterMs = sinceFault();
    if (afterMs !== null && (wasUnderWay(sale) || !isTooEarly(afterMs))) return;
    noteFault('busy', sale);
    inject(busy(COME_BACK_SECONDS - Math.floor((afterMs ?? 0) / 1000)));
  }

  /**
   * Whether the content is the same as in the refused sale with this id. Null if the gateway has not refused a sale with this
   * id. For a stored sale, the status of the resend already says whether the content is the same.
   */
  function isSameAsRefused(sale: SentSale): boolean | null {
    const isRefusing = step === 'come_back' || step === 'wrong_key';
    const refused = awaited.get(sale.externalId);
    if (!isRefusing || refused === undefined) return null;
    return refused.method === sale.method && listDifferences(contentOf(refused), contentOf(sale)).length === 0;
  }

  function receive(sale: SentSale): ReceivedSale {
    refuseSale(sale);
    const isUnderWay = wasUnderWay(sale);
    // The time is measured when the sale arrives. The disk may take long to store it.
    const afterMs = isUnderWay ? null : sinceFault();
    latest = sale;
    return {
      async hold(res, outcome) {
        const { externalId } = sale;
        const isCopy =
          outcome.status === 'NEW' && !isUnderWay && awaited.values().some((original) => isCopyOf(original, sale));
        if (step === 'retry') {
          awaited.clear();
          awaited.set(externalId, sale);
        }
        missing.delete(externalId);
        const isFirst = !isOver && firstFaultAt === undefined && outcome.status === 'NEW';
        note({
          kind: 'sale',
          externalId,
          recordId: outcome.recordId,
          status: outcome.status,
          clockSeconds: step === 'wrong_clock' ? sale.soldAt - Math.floor(sale.receivedAt / 1000) : null,
          digits: step === 'many_digits' ? findDigits(objectText(sale)) : null,
          isSame: isSameAsRefused(sale),
          isCopy,
          afterMs,
        });
        if (isFirst && step === 'lost_answer') {
          noteFault('lost_answer', sale);
          res.socket?.destroy();
          return false;
        }
        if (isFirst && step === 'slow_line') await delayAnswer(res, sale);
        return true;
      },
    };
  }

  /** Delays an answer until the time is over, the till closes the connection, or the attempt ends. */
  async function delayAnswer(res: ServerResponse, sale: SentSale): Promise<void> {
    noteFault('slow', sale);
    const { externalId } = sale;
    const { socket } = res;
    const { promise, resolve } = Promise.withResolvers<'over' | 'left'>();
    const over = (): void => resolve('over');
    const left = (): void => resolve('left');
    const cancel = clock.after(SLOW_LINE_SECONDS * 1000, over);
    delays.add(over);
    res.once('close', left);
    socket?.once('end', left); // the connection may stay half open, and then `close` comes only after the answer
    const how = await promise;
    cancel();
    delays.delete(over);
    res.off('close', left);
    socket?.off('end', left);
    if (how === 'left') return note({ kind: 'gave up', externalId, afterMs: sinceFault() ?? 0 });
    res.once('finish', () => note({ kind: 'waited', externalId, afterMs: sinceFault() ?? 0 }));
  }

  return {
    lastSale: () => latest,
    events,
    dropped: () => dropped,
    missing: () => missing.size,
    judgement,
    receive,
    receiveQuery() {
      if (isKeyRefused()) inject(keyRefused());
    },
    get isPaging() {
      return step === 'paging' && !isOver;
    },
    limitPage: (count, limit) => (count > limit || count < 2 ? limit : Math.ceil(count / 2)),
    noteQuery({ cursor, nextCursor, isExpanded, records, count }: AnsweredQuery) {
      if (step !== 'paging') return;
      const page = cursor === undefined ? 1 : (pages.get(cursor) ?? null);
      if (nextCursor !== null && page !== null && pages.size < MAX_CURSORS) pages.set(nextCursor, page + 1);
      note({ kind: 'query', page, records, count, isLast: nextCursor === null, isExpanded });
    },
    noteRefusal(refusal) {
      note({ kind: 'refused', ...refusal });
    },
    confirm(by) {
      if (isKeyRefused() && awaited.size > 0) note({ kind: 'confirmed', by });
    },
    end() {
      isOver = true;
      for (const finish of delays) finish();
    },
  };
}

/**
 * Whether two sales are equal except for their ids. Returns false without a timestamp, because such sales may be equal by
 * chance.
 */
function isCopyOf(original: SentSale, sale: SentSale): boolean {
  const { externalId, method, soldAt } = original;
  if (externalId === sale.externalId || method !== sale.method || soldAt !== sale.soldAt) return false;
  if (lengthWithoutId(original) !== lengthWithoutId(sale)) return false; // spares the parsing
  const [first, second] = [contentOf(original), contentOf(sale)];
  if (!first.members.has('timestamp')) return false;
  return listDifferences(first, second).every((pointer) => {
    const name = pointer.slice(1);
    return (
      method !== null &&
      isText(first.members.get(name), externalId) &&
      isText(second.members.get(name), sale.externalId)
    );
  });
}

/** Whether a value is this text. On the earlier interface, a sale's id can also be a number. */
function isText(value: unknown, text: string): boolean {
  return value === text || (typeof value === 'number' && String(value) === text);
}

function lengthWithoutId({ body, externalId }: SentSale): number {
  return body.byteLength - Buffer.byteLength(externalId);
}

/** Returns the text of a sale's member `object`. On the earlier interface, returns the text of the whole call. */
function objectText({ method, body }: SentSale): string {
  const text = textOfBody(body);
  if (method !== null) return text;
  const object = pickMembers(text, ['object'])?.members.get('object');
  return object instanceof Unread ? object.text : '';
}

/**
 * Returns the index of an event that may be dropped. The judge needs the first fault, the confirmation that the till showed it,
 * and a copy. So the first event of each kind is kept.
 */
function findDroppable(events: readonly CertifyEvent[]): number {
  const isAlike = (a: CertifyEvent, b: CertifyEvent): boolean => a.kind === b.kind && isCopied(a) === isCopied(b);
  return events.findIndex(
    (event, at) => at >= MAX_FIRST_EVENTS && events.findIndex((earlier) => isAlike(earlier, event)) < at,
  );
}

function isCopied(event: CertifyEvent): boolean {
  return event.kind === 'sale' && event.isCopy;
}

function inject(refusal: GatewayError): never {
  injected.add(refusal);
  throw refusal;
}

function keyRefused(): GatewayError {
  return new GatewayError('key_unknown', {
    detail: 'The gateway does not know this key. This is the step "wrong key" of a certification.',
    headers: { 'WWW-Authenticate': 'token' },
  });
}

function busy(retryAfterSeconds: number): GatewayError {
  return new GatewayError('store_busy', {
    detail: 'The gateway stored nothing of this call. Send it again after the time in Retry-After (certification).',
    retryAfterSeconds,
  });
}
