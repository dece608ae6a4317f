// Sends one record to an upstream and says how that ended. It follows no redirect, verifies who answers, keeps connections
// open, waits no longer than it must, and never throws.

import type { Dispatcher } from 'undici';

import { MAX_BODY_BYTES, type Status, STATUSES } from '../contract/codes.ts';
import type { WaitingRecord, Upstream } from '../store/outbox/ledger.ts';
import { VIA_HEADER } from '../via.ts';
import { type Answer, parseRetryAfter } from './answer.ts';
import { failureOf, type OpenDispatcher } from './connection.ts';
import { withoutKey } from './echo.ts';
import { MAX_IN_FLIGHT } from './line.ts';

/** Where a record goes. */
export interface Destination extends Upstream {
  /** Through which gateways records of this lane go there. */
  readonly via: string;
}

/** Sends a record; `signal` gives it up. */
export type Send = (record: WaitingRecord, upstream: Destination, signal: AbortSignal) => Promise<Answer>;

const CONNECT_TIMEOUT_MS = 5000;
/** Without a byte for so long, or without the whole answer for twice as long, nothing more is to be expected. */
const ANSWER_TIMEOUT_MS = 15_000;
/** How much of an answer is read, besides what may repeat the sale. Its connection is closed when there is more. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Some upstreams repeat the sale in their answer, and escape it. */
const ECHOES = 2;
const EXCERPT_LENGTH = 2048;
/** More than an excerpt, as masking shortens. */
const MASKED_LENGTH = 4 * EXCERPT_LENGTH;
/** Tells an upstream how we classified a record that it would otherwise not know to be a duplicate. */
const STATUS_HEADER = 'Counterfoil-Status';

/** The connections of one lane, so that an upstream that hangs on one keeps none from another. */
export interface UpstreamClient {
  readonly send: Send;
  close(): Promise<void>;
}

export type OpenUpstreamClient = () => UpstreamClient;

export function prepareUpstreamClients(openDispatcher: OpenDispatcher): OpenUpstreamClient {
  return () => {
    const dispatcher = openDispatcher({
      connections: MAX_IN_FLIGHT,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES + ECHOES * MAX_BODY_BYTES,
    });
    const onAbort = openAbortHandlers();
    return {
      async send(record, upstream, signal) {
        try {
          signal.throwIfAborted();
          return await exchange(dispatcher, record, upstream, (giveUp) => onAbort(signal, giveUp));
        } catch (error) {
          return failureOf(error);
        }
      },
      close: () => dispatcher.destroy(),
    };
  };
}

/**
 * Registers what a signal calls on abort; returns what removes it. Never a listener or a Set entry for each call: a removed
 * listener refers to the next one, and an outgrown table of a Set to its successor. Once V8 has moved one of them to its old
 * generation, all later calls follow.
 */
function openAbortHandlers(): (signal: AbortSignal, handler: () => void) => () => void {
  const handlersOf = new WeakMap<AbortSignal, (() => void)[]>();
  return (signal, handler) => {
    const handlers = handlersOf.get(signal) ?? [];
    if (!handlersOf.has(signal)) {
      handlersOf.set(signal, handlers);
      signal.addEventListener('abort', () => handlers.slice().forEach((each) => each()), { once: true });
    }
    handlers.push(handler);
    return () => {
      const at = handlers.indexOf(handler);
      if (at !== -1) handlers.splice(at, 1);
    };
  };
}

/**
 * One call and its whole answer. It speaks to the dispatcher itself: undici's request() makes a stream for each answer, and
 * signals joined with a timeout live as long as that, which together is most of what a record costs.
 */
function exchange(
  dispatcher: Dispatcher,
  record: WaitingRecord,
  upstream: Destination,
  onAbort: (handler: () => void) => () => void,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let underway: Dispatcher.DispatchController | undefined;
  let givenUp: Error | undefined;
  const giveUp = (name: string): void => {
    end();
    givenUp = new DOMException('the call was given up', name);
    underway?.abort(givenUp);
    reject(givenUp); // a proxy may not even let the call begin
  };
  const deadline = setTimeout(giveUp, 2 * ANSWER_TIMEOUT_MS, 'TimeoutError').unref();
  const offAbort = onAbort(() => giveUp('AbortError'));
  const end = (): void => {
    clearTimeout(deadline);
    offAbort();
  };

  let status = 0;
  let retryAfterMs: number | undefined;
  let isHtml = false;
  const pieces: Buffer[] = [];
  let bytes = 0;
  const answer = (isCut: boolean): void => {
    end();
    const text = Buffer.concat(pieces).toString('utf8');
    const isDelivered = status < 300 && !isCut;
    resolve({
      kind: 'answered',
      status,
      retryAfterMs,
      isWebPage: isHtml && /^\s*</.test(text), // some say so of an empty body, or of JSON
      isCut,
      // Nobody reads what came with a delivery, and masking costs.
      excerpt: isDelivered ? '' : withoutKey(text.slice(0, MASKED_LENGTH), upstream.token).slice(0, EXCERPT_LENGTH),
      upstreamStatus: isDelivered ? statusIn(text) : null,
    });
  };
  dispatcher.dispatch(callOf(record, upstream), {
    onRequestStart(controller) {
      underway = controller;
      if (givenUp !== undefined) controller.abort(givenUp);
    },
    onResponseStart(_, statusCode, headers) {
      status = statusCode;
      retryAfterMs = parseRetryAfter(headers);
      isHtml = /^text\/html\b/i.test([headers['content-type']].flat()[0] ?? '');
    },
    onResponseData(controller, piece) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes <= MAX_ANSWER_BYTES + ECHOES * (record.body?.byteLength ?? 0)) return;
      answer(true);
      controller.abort(new Error('the answer is too long')); // heard by nobody: there is an answer
    },
    onResponseEnd: () => answer(false),
    onResponseError(_, error) {
      end();
      reject(error);
    },
  });
  return promise;
}

/** The call that a record goes as: the way it came, byte for byte. */
function callOf(
  { status, earlier, body = new Uint8Array() }: WaitingRecord,
  { url, token, via }: Destination,
): Dispatcher.DispatchOptions {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'counterfoil',
    ...(status !== 'NEW' && { [STATUS_HEADER]: status }),
    [VIA_HEADER]: via,
  };
  if (earlier === undefined) {
    return { origin, path: `${base}/v1/raw_transactions`, method: 'POST', headers: { ...headers, token }, body };
  }
  const path = `${base}/${earlier.version}/${earlier.resource}`;
  const authorized = { ...headers, authorization: `Bearer ${token}` };
  if (earlier.method === 'POST') return { origin, path, method: 'POST', headers: authorized, body };
  return { origin, path: `${path}?${Buffer.from(body).toString('latin1')}`, method: 'GET', headers: authorized };
}

function statusIn(text: string): Status | null {
  try {
    const value: unknown = JSON.parse(text);
    const status = typeof value === 'object' && value !== null && 'status' in value ? value.status : undefined;
    return STATUSES.find((each) => each === status) ?? null;
  } catch {
    return null;
  }
}
