// Watches one attempt at a step: injects its fault into the calls of the key, notes the events and judges them. It injects nothing
// after the attempt has ended.

import type { ServerResponse } from 'node:http';

import {
  type CertifyEvent,
  type CertifyFault,
  type CertifyStep,
  COME_BACK_SECONDS,
  SLOW_LINE_SECONDS,
} from '../contract/certify.ts';
import { GatewayError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { listDifferences } from '../store/records/comparison.ts';
import { contentOf, textOfBody } from '../store/records/content.ts';
import { findDigits } from './digits.ts';
import { isTooEarly, type Judgement, judgeStep } from './judge.ts';
import type { AnsweredQuery, ReceivedSale, SentSale, Trial } from './trial.ts';

/** Maximum events of an attempt. Beyond it, old events are dropped, but never the first ones, and never the first of a kind. */
const MAX_EVENTS = 60;
const MAX_FIRST_EVENTS = 20;
/** Maximum cursors of the pages that a till was given. */
const MAX_CURSORS = 10_000;

/** The refusals that any step has injected. */
const injected = new WeakSet<GatewayError>();

export function isInjected(refusal: GatewayError): boolean {
  return injected.has(refusal);
}

type NewEvent = CertifyEvent extends infer Event ? (Event extends CertifyEvent ? Omit<Event, 'at'> : never) : never;

export interface StepWatch extends Trial {
  readonly events: readonly CertifyEvent[];
  readonly judgement: () => Judgement;
  /** Notes that the till showed the refused key, so that it is valid again. Does nothing if no sale was refused for the key. */
  confirm(by: string): void;
  /** Ends every fault. Answers that wait are sent. */
  end(): void;
}

/** Watches a step. `onEvent` is called after each new event. */
export function watchStep(step: CertifyStep, clock: Clock, onEvent: () => void): StepWatch {
  const events: CertifyEvent[] = [];
  /** The number of the page that each given cursor leads to. */
  const pages = new Map<string, number>();
  /** The refused sale that must come again with the same content. */
  let refusedSale: SentSale | undefined;
  let firstFaultAt: number | undefined;
  let isOver = false;
  const delays = new Set<() => void>();

  const judgement = (): Judgement => judgeStep(step, events);
  const sinceFault = (): number | null =>
    firstFaultAt === undefined ? null : Math.round(clock.monotonic() - firstFaultAt);

  function note(event: NewEvent): void {
    if (isOver) return;
    events.push({ ...event, at: clock.now() } as CertifyEvent);
    if (events.length > MAX_EVENTS) events.splice(findDroppable(events), 1);
    onEvent();
  }

  /** Notes a fault. Repeated faults of one sale are one event with a count. */
  function noteFault(fault: CertifyFault['fault'], externalId: string): void {
    const last = events.at(-1);
    const afterMs = sinceFault();
    firstFaultAt ??= clock.monotonic();
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
      refusedSale ??= sale;
      noteFault('key_refused', sale.externalId);
      inject(keyRefused());
    }
    if (isOver || step !== 'come_back') return;
    const afterMs = sinceFault();
    if (afterMs !== null && !isTooEarly(afterMs)) return;
    refusedSale ??= sale;
    noteFault('busy', sale.externalId);
    inject(busy(COME_BACK_SECONDS - Math.floor((afterMs ?? 0) / 1000)));
  }

  function isSameAsRefused(sale: SentSale): boolean | null {
    if (refusedSale?.externalId !== sale.externalId) return null;
    return refusedSale.method === sale.method && listDifferences(contentOf(refusedSale), contentOf(sale)).length === 0;
  }

  function receive(sale: SentSale): ReceivedSale {
    refuseSale(sale);
    const afterMs = sinceFault(); // at the arrival, before the disk is awaited
    return {
      async hold(res, outcome) {
        const { externalId } = sale;
        const isFirst = !isOver && firstFaultAt === undefined && outcome.status === 'NEW';
        note({
          kind: 'sale',
          externalId,
          recordId: outcome.recordId,
          status: outcome.status,
          clockSeconds: sale.soldAt - Math.floor(sale.receivedAt / 1000),
          digits: step === 'many_digits' ? findDigits(textOfBody(sale.body)) : null,
          isSame: isSameAsRefused(sale),
          afterMs,
        });
        if (isFirst && step === 'lost_answer') {
          noteFault('lost_answer', externalId);
          res.socket?.destroy();
          return false;
        }
        if (isFirst && step === 'slow_line') await delayAnswer(res, externalId);
        return true;
      },
    };
  }

  /** Delays an answer until the time is over, the till closes the connection, or the attempt ends. */
  async function delayAnswer(res: ServerResponse, externalId: string): Promise<void> {
    noteFault('slow', externalId);
    const { socket } = res;
    const { promise, resolve } = Promise.withResolvers<'over' | 'left'>();
    const over = (): void => resolve('over');
    const left = (): void => resolve('left');
    const cancel = clock.after(SLOW_LINE_SECONDS * 1000, over);
    delays.add(over);
    res.once('close', left);
    socket?.once('end', left); // the connection stays half open, so `close` may come only after the answer
    const how = await promise;
    cancel();
    delays.delete(over);
    res.off('close', left);
    socket?.off('end', left);
    if (how === 'left') return note({ kind: 'gave up', externalId, afterMs: sinceFault() ?? 0 });
    res.once('finish', () => note({ kind: 'waited', externalId, afterMs: sinceFault() ?? 0 }));
  }

  return {
    events,
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
      note({ kind: 'refused', status: refusal.status, code: refusal.code, detail: refusal.message });
    },
    confirm(by) {
      if (isKeyRefused() && refusedSale !== undefined) note({ kind: 'confirmed', by });
    },
    end() {
      isOver = true;
      for (const finish of delays) finish();
    },
  };
}

/** The judge needs the first fault, and the confirmation that the till showed it. */
function findDroppable(events: readonly CertifyEvent[]): number {
  return events.findIndex(
    ({ kind }, at) => at >= MAX_FIRST_EVENTS && events.findIndex((event) => event.kind === kind) < at,
  );
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
