// Sends one message to one destination, or returns why it failed. It follows no redirect and connects to no link-local address.
// From an answer, it uses only the status and the requested wait. An attempt takes at most half a minute.

import { isIP } from 'node:net';
import { promisify } from 'node:util';

import type { AlertDestination, AlertFault, MailSettings } from '../contract/alerts.ts';
import { parseRetryAfter } from '../forward/answer.ts';
import { failureOf, type OpenDispatcher } from '../forward/connection.ts';
import { areLinkLocal, LinkLocalError, prepareLookup, type Resolve, resolveHere } from '../forward/link-local.ts';
import { ask } from '../forward/upstream-query.ts';
import { withinTime } from '../lib/time-out.ts';
import { type Mail, mailOf, type Message, requestOf } from './message.ts';

const MAX_ATTEMPT_MS = 30_000;
const PHASE_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const LIMITS = {
  connections: 1,
  connectTimeoutMs: PHASE_TIMEOUT_MS,
  answerTimeoutMs: PHASE_TIMEOUT_MS,
  maxAnswerBytes: MAX_ANSWER_BYTES,
};

/**
 * The outcome of an attempt. `fault` is null if the other side accepted the message. `afterMs` is the wait before a retry that
 * the other side asked for, in milliseconds.
 */
export interface Sent {
  readonly fault: AlertFault | null;
  readonly afterMs?: number;
}

/** A mail server with its password. The password is null if the server needs no login. */
export type MailServer = MailSettings & { readonly password: string | null };

export interface SenderParts {
  readonly openDispatcher: OpenDispatcher;
  readonly now: () => number;
  readonly resolve?: Resolve;
}

/** Sends a message and never rejects. `mail` is null if no mail server is set. */
export type Send = (message: Message, destination: AlertDestination, mail: MailServer | null) => Promise<Sent>;

export function prepareSend({ openDispatcher, now, resolve = resolveHere }: SenderParts): Send {
  return async (message, destination, mail) => {
    if (destination.kind !== 'email') return sendHttp(message, destination);
    if (mail === null) return { fault: { code: 'mail_missing', detail: null } };
    return sendMail(mailOf(message, destination.address), mail, resolve);
  };

  async function sendHttp(message: Message, destination: Exclude<AlertDestination, { kind: 'email' }>): Promise<Sent> {
    const { url, headers, body } = requestOf(message, destination, now());
    const { origin, pathname, search } = new URL(url);
    const dispatcher = openDispatcher(LIMITS);
    const signal = AbortSignal.timeout(MAX_ATTEMPT_MS);
    try {
      const answer = await ask(dispatcher, {
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body,
        signal,
        maxBytes: MAX_ANSWER_BYTES,
      });
      const { status } = answer;
      if (status >= 200 && status < 300) return { fault: null };
      const afterMs = parseRetryAfter(answer.headers);
      const code = status >= 300 && status < 400 ? 'moved' : 'rejected';
      return { fault: { code, detail: String(status) }, ...(afterMs !== undefined && { afterMs }) };
    } catch (error) {
      return { fault: connectionFault(error) };
    } finally {
      await dispatcher.destroy();
    }
  }
}

/** Finds the alert fault for a network error: a failed connection, or a failed look-up of the host name. */
function connectionFault(error: unknown): AlertFault {
  const failure = failureOf(error);
  switch (failure.kind) {
    case 'link-local':
      return { code: 'link_local', detail: failure.addresses };
    case 'unreachable':
      return { code: 'unreachable', detail: failure.reason };
    case 'untrusted':
      return { code: 'untrusted', detail: failure.reason };
    case 'proxy refused':
      return { code: 'unreachable', detail: `proxy ${failure.status}` };
    case 'unanswered':
      return { code: 'no_answer', detail: failure.reason };
  }
}

async function sendMail(mail: Mail, server: MailServer, resolve: Resolve): Promise<Sent> {
  const { host, port, security, user, password, from } = server;
  let address: string;
  try {
    address = await findAddress(host, resolve);
  } catch (error) {
    return { fault: connectionFault(error) };
  }
  const { createTransport } = await import('nodemailer'); // only now, because it takes 3 MB of memory
  const transport = createTransport({
    host: address, // uses the checked address, because the name could now resolve to another one
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { servername: isIP(host) === 0 ? host : '', minVersion: 'TLSv1.2' },
    ...(user !== '' && { auth: { user, pass: password ?? '' } }),
    connectionTimeout: PHASE_TIMEOUT_MS,
    greetingTimeout: PHASE_TIMEOUT_MS,
    socketTimeout: PHASE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const sending = transport.sendMail({ from, ...mail, headers: { 'Auto-Submitted': 'auto-generated' } });
    await withinTime(sending, MAX_ATTEMPT_MS);
    return { fault: null };
  } catch (error) {
    return { fault: mailFault(error) };
  } finally {
    transport.close();
  }
}

/** Resolves a host name to an address that is not link-local. Rejects if there is none. */
async function findAddress(host: string, resolve: Resolve): Promise<string> {
  const found = await promisify(prepareLookup(resolve) as Lookup)(host, { all: false });
  const addresses = [{ address: found, family: isIP(found) }];
  if (areLinkLocal(addresses)) throw new LinkLocalError(addresses);
  return found;
}
type Lookup = (
  host: string,
  options: { readonly all: false },
  callback: (error: Error | null, address: string) => void,
) => void;

/** Finds the alert fault from the codes of a nodemailer error. Never uses text that came from the server. */
function mailFault(error: unknown): AlertFault {
  // For an error of the operating system, nodemailer sets `code` to its own code, and `originalCode` to the system's code.
  const {
    code = 'unknown',
    originalCode = code,
    responseCode,
  } = (error ?? {}) as { code?: string; originalCode?: string; responseCode?: number };
  const status = responseCode === undefined ? null : String(responseCode);
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return { code: 'mail_login', detail: status };
    case 'EENVELOPE':
      return { code: 'mail_address', detail: status };
    case 'ETLS':
      return { code: 'mail_unencrypted', detail: status };
  }
  if (status !== null || code === 'EPROTOCOL') return { code: 'rejected', detail: status ?? code };
  // The client began with TLS, but the server expects unencrypted text at first, as at port 587.
  if (/^(ERR_SSL_|EPROTO$)/.test(originalCode)) return { code: 'mail_unencrypted', detail: originalCode };
  return connectionFault(Object.assign(new Error('mail'), { code: originalCode }));
}
