// The one place where a call that was not taken is answered, counted and logged. A refusal never becomes a record.

import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { ERROR_CODES, type ErrorCode } from '../contract/codes.ts';
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
  /** Answers a call with what was thrown while it was handled. */
  refuse(call: Call, error: unknown): void;
  /** Answers a connection on which Node's parser failed or gave up; `latest` is the newest call that was read from it. */
  refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex, latest: Call | undefined): void;
  readonly noteFailedHandshake: NoteFailedHandshake;
}

export function openRefusals({ store, log, metrics }: { store: Store; log: Log; metrics: Metrics }): Refusals {
  function note(code: ErrorCode, socket: Duplex, more: Partial<NewRefusal>): void {
    metrics.refusals.inc({ code });
    if (!isLogged(code)) return;
    const address = (socket as Socket).remoteAddress ?? '';
    const { method = '', path = '', detail = ERROR_CODES[code].title, excerpt = '', keyId = null } = more;
    store.records.noteRefusal({
      at: Date.now(),
      address,
      keyId,
      method,
      path: withoutKeys(path),
      code,
      detail: withoutKeys(detail),
      excerpt,
    });
  }

  function refuse(call: Call, error: unknown): void {
    if (error instanceof IncompleteBodyError) return; // nobody is there to be answered
    const { req, res, key } = call;
    const refusal = asGatewayError(error);
    if (refusal.code === 'internal' || refusal.code === 'store_damaged') {
      log.error({ err: refusal.cause ?? error }, 'a call failed');
    }
    if (res.headersSent) return; // the parser's fault has been answered already
    note(refusal.code, req.socket, {
      keyId: key?.id ?? null,
      method: req.method ?? '',
      path: pathOf(call.url),
      detail: refusal.message,
      excerpt: excerptOf(call),
    });
    sendProblem(req, res, refusal);
  }

  function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex, latest: Call | undefined): void {
    // An answer would be as unreadable as what was received on a broken secure connection.
    if (error.code === 'ECONNRESET' || error.code?.startsWith('ERR_SSL_') === true || !socket.writable)
      return void socket.destroy();
    const code = unparsedCode(error.code);
    if (latest !== undefined && !latest.req.complete) {
      // The failure is in the middle of a call: that call gets the answer, unless it has one.
      if (latest.res.headersSent) return (socket as Socket).destroySoon(); // it may still be on its way
      return refuse(latest, new GatewayError(code, { detail: CLOSING, headers: { Connection: 'close' } }));
    }
    note(code, socket, {});
    if (latest !== undefined && !latest.res.writableFinished) {
      // Earlier calls still await their answers; one of ours in between would be taken for theirs.
      latest.res.once('finish', () => sayFarewell(socket));
      return;
    }
    sayFarewell(socket, rawProblem(code, CLOSING));
  }

  return { refuse, refuseUnparsed, noteFailedHandshake: (code, socket, detail) => note(code, socket, { detail }) };
}

/**
 * A failure of one call is in the gateway's own log. What refuses every sale is in the refusal log too: a shop must see how many
 * it was.
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

const CLOSING = 'The connection is closed; nothing of this call was kept.';

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
    detail: 'The gateway failed on this call; nothing of it was kept.',
    cause: error,
  });
}

/** The end of an unknown key, or the head of the body with every letter and digit masked. */
function excerptOf({ req, key, body }: Call): string {
  if (key === undefined) {
    const presented = req.headers['token'] ?? bearerOf(req.headers);
    return typeof presented === 'string' ? maskKey(presented) : '';
  }
  return maskText(body?.subarray(0, EXCERPT_LENGTH).toString('utf8') ?? '');
}

/** The path of a URL without anything that carries values: no host, which may hold a password, and nothing after it. */
function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?]*/, '').split(/[?;#]|%3[bf]|%23/i)[0] ?? '';
}

/** Enough of a key to tell two apart, too little to use it. */
function maskKey(key: string): string {
  return key.length < 16 ? '…' : `${/^(prod_|test_)?/.exec(key)?.[0] ?? ''}…${key.slice(-4)}`;
}
