// Authenticates a call (docs/interface.md#keys). On the current interface, the key is in the `token` header. On the earlier
// interface, the access token is in the header `Authorization: Bearer`. The gateway authenticates a call before it reads the
// body. It checks the key again when the body is complete.

import type { IncomingMessage } from 'node:http';

import type { ErrorCode, Interface } from '../contract/codes.ts';
import { GatewayError } from '../errors.ts';
import type { Key } from '../store/setup/ledger.ts';
import type { Store } from '../store/store.ts';
import type { Call } from './call.ts';

/** Returns the valid key of a call on the current interface, and stores it in `call`. Throws 401 or 403. */
export function authenticateToken(call: Call, store: Store): Key {
  const secret = call.req.headers['token'];
  if (secret === undefined || secret === '') {
    const isElsewhere = bearerOf(call.req.headers) !== undefined;
    const detail = isElsewhere
      ? 'The current interface expects the key in a header named token, not in an Authorization header.'
      : 'Send the key in a header named token.';
    throw unauthorized('key_missing', 'current', detail);
  }
  // Node joins repeated headers with a comma, which no key contains.
  if (typeof secret !== 'string' || secret.includes(',')) {
    throw unauthorized('key_repeated', 'current', 'Send one token header with one key.');
  }
  return admit(call, store, secret, 'current');
}

/** Returns the valid key of a call on the earlier interface, and stores it in `call`. Throws 401 or 403. */
export function authenticateBearer(call: Call, store: Store): Key {
  const { headers, rawHeaders } = call.req;
  // Node silently keeps the first of repeated Authorization headers.
  if (rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'authorization').length > 1) {
    throw unauthorized('key_repeated', 'earlier', 'Send one Authorization header with one access token.');
  }
  const secret = bearerOf(headers);
  if (secret === undefined) {
    throw unauthorized('key_missing', 'earlier', 'Send the access token as Authorization: Bearer <token>.');
  }
  return admit(call, store, secret, 'earlier');
}

/** The token of an Authorization header with the Bearer scheme (RFC 6750). */
export function bearerOf({ authorization = '' }: IncomingMessage['headers']): string | undefined {
  return /^Bearer +([^ ]+) *$/i.exec(authorization)?.[1];
}

function admit(call: Call, store: Store, secret: string, wanted: Interface): Key {
  const key = store.setup.findKey(secret);
  if (key === undefined) {
    const detail = 'The gateway does not know this key. Check that the whole key was copied, or create a new one.';
    throw unauthorized('key_unknown', wanted, detail);
  }
  call.key = key;
  if (key.revokedAt !== null) throw revoked(key, wanted);
  if (key.interface !== 'both' && key.interface !== wanted) {
    throw new GatewayError('key_wrong_kind', {
      detail: `The key of ${key.label} is for the ${key.interface} interface; create one for the ${wanted} interface.`,
    });
  }
  call.isAdmitted = true;
  store.setup.noteKeyUse(key.id, Date.now(), call.address);
  return key;
}

/** Call this when the body is complete. Throws 401 if the key was revoked after the headers came. */
export function assertStillAdmitted(call: Call, store: Store, key: Key, wanted: Interface): void {
  if (!store.setup.isRevoked(key)) return;
  call.isAdmitted = false;
  throw revoked(key, wanted);
}

function revoked({ label }: Key, wanted: Interface): GatewayError {
  return unauthorized('key_revoked', wanted, `The key of ${label} was revoked. Create a new one for this till.`);
}

function unauthorized(code: ErrorCode, wanted: Interface, detail: string): GatewayError {
  const headers = { 'WWW-Authenticate': wanted === 'current' ? 'token' : 'Bearer' };
  return new GatewayError(code, { detail, headers });
}
