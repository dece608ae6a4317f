// Sends one record to an upstream and returns the answer or the failure; never throws. It follows no redirect, verifies
// certificates, keeps connections open, and limits time and bytes.

import type { Dispatcher } from 'undici';

import { MAX_BODY_BYTES, type Status, STATUSES } from '../contract/codes.ts';
import type { WaitingRecord, Upstream } from '../store/outbox/ledger.ts';
import { VIA_HEADER } from '../via.ts';
import { type Answer, isHtml, parseRetryAfter } from './answer.ts';
import { failureOf, type OpenDispatcher } from './connection.ts';
import { withoutKey } from './echo.ts';
import { MAX_IN_FLIGHT } from './line.ts';
import { type Place, placeOf } from './place.ts';

/** The upstream that a record is sent to. */
export interface Destination extends Upstream {
  /** The header that names the gateways that records of this lane have passed through. */
  readonly via: string;
}

/** Sends a record; `signal` aborts the call. */
export type Send = (record: WaitingRecord, upstream: Destination, signal: AbortSignal) => Promise<Answer>;

const CONNECT_TIMEOUT_MS = 5000;
/** Maximum time between two bytes of an answer. The whole call may take twice as long. */
const ANSWER_TIMEOUT_MS = 15_000;
/** Maximum bytes of an answer that does not repeat the sale. Beyond the maximum, the connection is closed. */
const MAX_ANSWER_BYTES = 64 * 1024;
/**
 * Some upstreams repeat the sale in their answer, with escapes. So the maximum length of an answer grows by the length of the
 * sale times this number.
 */
const ECHOES = 2;
const EXCERPT_LENGTH = 2048;
/**
 * Length of the text that is masked before it is cut to an excerpt. It is longer than the excerpt, because masking can shorten
 * a text.
 */
const MASKED_LENGTH = 4 * EXCERPT_LENGTH;
/** The header that tells the upstream our status of a duplicate, because the upstream may not detect the duplicate itself. */
const STATUS_HEADER = 'Counterfoil-Status';

/** The connections of one lane. Each lane has its own connections, so that a hanging upstream does not block other lanes. */
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
    const findPlace = openPlaces();
    return {
      async send(record, upstream, signal) {
        try {
          signal.throwIfAborted();
          return await exchange(dispatcher, record, upstream, findPlace(upstream.url), (abort) =>
            onAbort(signal, abort),
          );
        } catch (error) {
          return failureOf(error);
        }
      },
      close: () => dispatcher.destroy(),
    };
  };
}

/**
 * Registers a handler that runs when a signal is aborted. Returns a function that removes the handler. There is one listener
 * for all calls, and no Set, to prevent a memory leak in V8. A removed listener refers to the next listener. An outgrown table
 * of a Set refers to the next table. Once a removed listener or an outgrown table is in V8's old generation, it keeps all later
 * ones in memory, with their calls.
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
 * Makes one call and reads its whole answer. Uses undici's dispatcher directly. That takes much less time per record than
 * `request()`, which makes a stream for each answer. It also avoids a combined abort signal, which would stay in memory until
 * its time-out.
 */
function exchange(
  dispatcher: Dispatcher,
  record: WaitingRecord,
  upstream: Destination,
  place: Place,
  onAbort: (handler: () => void) => () => void,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let controllerOfCall: Dispatcher.DispatchController | undefined;
  let abortError: Error | undefined;
  const abort = (name: string): void => {
    end();
    abortError = new DOMException('the call was aborted', name);
    controllerOfCall?.abort(abortError);
    reject(abortError); // rejects immediately, because the call may still wait for the proxy and would then report nothing
  };
  const deadline = setTimeout(abort, 2 * ANSWER_TIMEOUT_MS, 'TimeoutError').unref();
  const offAbort = onAbort(() => abort('AbortError'));
  const end = (): void => {
    clearTimeout(deadline);
    offAbort();
  };

  let status = 0;
  let retryAfterMs: number | undefined;
  let isPage = false;
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
      isWebPage: isPage && /^\s*</.test(text), // some upstreams label an empty body or JSON as HTML
      isCut,
      // Keeps no excerpt of the answer to a delivery, because masking is slow and nobody reads it.
      excerpt: isDelivered ? '' : withoutKey(text.slice(0, MASKED_LENGTH), upstream.token).slice(0, EXCERPT_LENGTH),
      upstreamStatus: isDelivered ? statusIn(text) : null,
    });
  };
  dispatcher.dispatch(callOf(record, upstream, place), {
    onRequestStart(controller) {
      controllerOfCall = controller;
      if (abortError !== undefined) controller.abort(abortError);
    },
    onResponseStart(_, statusCode, headers) {
      status = statusCode;
      retryAfterMs = parseRetryAfter(headers);
      isPage = isHtml(headers);
    },
    onResponseData(controller, piece) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes <= MAX_ANSWER_BYTES + ECHOES * (record.body?.byteLength ?? 0)) return;
      answer(true);
      // this error is ignored, because the promise already has its answer
      controller.abort(new Error('the answer is too long'));
    },
    onResponseEnd: () => answer(false),
    onResponseError(_, error) {
      end();
      reject(error);
    },
  });
  return promise;
}

/** The call that sends a record. Its body or query string is exactly what the till sent, byte for byte. */
function callOf(
  { status, earlier, body = new Uint8Array() }: WaitingRecord,
  { token, via }: Destination,
  { origin, base }: Place,
): Dispatcher.DispatchOptions {
  const headers = ['content-type', 'application/json', 'user-agent', 'counterfoil', VIA_HEADER, via];
  if (status !== 'NEW') headers.push(STATUS_HEADER, status);
  if (earlier === undefined) {
    headers.push('token', token);
    return { origin, path: `${base}/v1/raw_transactions`, method: 'POST', headers, body };
  }
  headers.push('authorization', `Bearer ${token}`);
  const path = `${base}/${earlier.version}/${earlier.resource}`;
  if (earlier.method === 'POST') return { origin, path, method: 'POST', headers, body };
  return { origin, path: `${path}?${Buffer.from(body).toString('latin1')}`, method: 'GET', headers };
}

/** Returns a `placeOf` that remembers the last URL, because parsing takes long. */
function openPlaces(): typeof placeOf {
  let last: { readonly url: string; readonly place: Place } | undefined;
  return (url) => {
    if (last?.url !== url) last = { url, place: placeOf(url) };
    return last.place;
  };
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
