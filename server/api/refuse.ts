// Answers and counts every refused call, and logs those that may be sales. A refusal never becomes a record.

import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Trials } from '../certify/trial.ts';
import { ERROR_CODES, type ErrorCode, type FieldFault, MAX_KEPT_FAULTS } from '../contract/codes.ts';
import { GatewayError } from '../errors.ts';
import { sayFarewell } from '../http/farewell.ts';
import { rawProblem, sendProblem } from '../http/problem.ts';
import type { NoteFailedHandshake } from '../http/secure-server.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { NewRefusal } from '../store/records/ledger.ts';
import type { Store } from '../store/store.ts';
import { bearerOf } from './authentication.ts';
import { IncompleteBodyError } from './body.ts';
import type { Call } from './call.ts';
import { EXCERPT_LENGTH, maskText, withoutKeys } from './mask.ts';

export interface Refusals {
  /** Answers a call whose handler threw an error. */
  refuse(call: Call, error: unknown): void;
  /** Answers a connection on which Node's parser found an error. `latest` is the newest call that was parsed on it. */
  refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex, latest: Call | undefined): void;
  readonly noteFailedHandshake: NoteFailedHandshake;
}

export function openRefusals({
  store,
  trials,
  log,
  metrics,
}: {
  store: Store;
  trials: Trials;
  log: Log;
  metrics: Metrics;
}): Refusals {
  function note(code: ErrorCode, socket: Duplex, more: Partial<NewRefusal>, isKept = isLogged(code)): void {
    metrics.refusals.inc({ code });
    if (!isKept) return;
    const address = (socket as Socket).remoteAddress ?? '';
    const { method = '', path = '', detail = ERROR_CODES[code].title, excerpt = '', faults = [], keyId = null } = more;
    store.records.noteRefusal({
      at: Date.now(),
      address,
      keyId,
      method,
      path: withoutKeys(path),
      code,
      detail: withoutKeys(detail),
      excerpt,
      faults,
    });
  }

  function refuse(call: Call, error: unknown): void {
    if (error instanceof IncompleteBodyError) return; // the sender has left, so nobody waits for an answer
    const { req, res, key } = call;
    const refusal = asGatewayError(error);
    if (refusal.code === 'internal' || refusal.code === 'store_damaged') {
      log.error({ err: refusal.cause ?? error }, 'a call failed');
    }
    if (res.headersSent) return; // an error of Node's parser has already been answered
    if (!trials.isInjected(refusal)) {
      const entry = {
        keyId: key?.id ?? null,
        method: req.method ?? '',
        path: pathOf(call.url),
        detail: refusal.message,
        excerpt: excerptOf(call),
        faults: faultsOf(refusal),
      };
      note(refusal.code, req.socket, entry, isLogged(refusal.code) && !isVisit(call, refusal));
      const { status, code } = refusal;
      if (key !== undefined) trials.find(key.id)?.noteRefusal({ status, code, detail: withoutKeys(refusal.message) });
    }
    sendProblem(req, res, refusal);
  }

  function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex, latest: Call | undefined): void {
    // On a broken TLS connection the client could not read an answer.
    if (error.code === 'ECONNRESET' || error.code?.startsWith('ERR_SSL_') === true || !socket.writable)
      return void socket.destroy();
    const code = unparsedCode(error.code);
    if (latest !== undefined && !latest.req.complete) {
      // The error is in the bytes of a call that is already being handled, so this is the answer to that call.
      if (latest.res.headersSent) return (socket as Socket).destroySoon(); // sends the rest of the answer first
      return refuse(latest, new GatewayError(code, { detail: CLOSING, headers: { Connection: 'close' } }));
    }
    note(code, socket, {});
    if (latest !== undefined && !latest.res.writableFinished) {
      // Earlier calls on this connection still wait for their answers. If this refusal came first, the client would take it for
      // one of those answers.
      latest.res.once('finish', () => sayFarewell(socket));
      return;
    }
    sayFarewell(socket, rawProblem(code, CLOSING));
  }

  return { refuse, refuseUnparsed, noteFailedHandshake: (code, socket, detail) => note(code, socket, { detail }) };
}

/**
 * Whether a refusal goes to the refusal log, which the shop can see. If a call fails inside the gateway, the refusal goes only
 * to the log file. If a fault makes every sale fail, the refusals go to the refusal log and to the log file.
 */
function isLogged(code: ErrorCode): boolean {
  switch (code) {
    case 'internal':
    case 'store_busy':
    case 'store_damaged':
      return false;
    default:
      return true;
  }
}

/**
 * Whether the call is only a visit of an unknown address, for example by a browser or a scanner: it has no key and no content. It
 * cannot be a sale, so it does not go to the refusal log, whose entries ask the shop to send sales again.
 */
function isVisit({ req: { method, headers }, url }: Call, { code }: GatewayError): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  const hasKey = headers['token'] !== undefined || headers.authorization !== undefined;
  return code === 'not_found' && isRead && isEmpty && !hasKey && PLAIN_PATH.test(url);
}

/** A path without characters that could separate values, as in a mistyped query. */
const PLAIN_PATH = /^[\w/.~-]*$/;

const CLOSING = 'The connection is closed; this call was not stored.';

function unparsedCode(code: string | undefined): ErrorCode {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout';
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large';
    default:
      return 'request_malformed';
  }
}

function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError('internal', {
    detail: 'The gateway failed on this call and stored nothing of it.',
    cause: error,
  });
}

/**
 * The faults for the refusal log. A fault keeps its pointer only if its detail names the field, because a detail contains
 * nothing that must not be logged.
 */
function faultsOf({ errors }: GatewayError): FieldFault[] {
  return errors.slice(0, MAX_KEPT_FAULTS).map(({ pointer, code, detail }) => {
    const name = pointer.slice(pointer.lastIndexOf('/') + 1);
    const isNamed = detail.includes(name) && withoutKeys(pointer) === pointer;
    return { pointer: isNamed ? pointer : '', code };
  });
}

/** The excerpt for the refusal log: the end of an unknown key, or the masked beginning of the body. */
function excerptOf({ req, key, body }: Call): string {
  if (key === undefined) {
    const presented = req.headers['token'] ?? bearerOf(req.headers);
    return typeof presented === 'string' ? maskKey(presented) : '';
  }
  return maskText(body?.subarray(0, EXCERPT_LENGTH).toString('utf8') ?? '');
}

/** Returns only the path of a URL. The host part may contain a password, and the query contains values of the sale. */
function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?]*/, '').split(/[?;#]|%3[bf]|%23/i)[0] ?? '';
}

/** Returns only the end of a key: enough to distinguish two keys, but too little to use the key. */
function maskKey(key: string): string {
  return key.length < 16 ? '…' : `${/^(prod_|test_)?/.exec(key)?.[0] ?? ''}…${key.slice(-4)}`;
}
