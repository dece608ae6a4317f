// Calls the console API as the console's own pages do: with a session, and from the console's origin.

import { scryptSync } from 'node:crypto';

import type { Role } from '../../server/contract/codes.ts';
import type { PasswordDigest } from '../../server/lib/password.ts';
import { type Answer, type Call, call } from './http-call.ts';
import type { TestGateway } from './open-gateway.ts';

export const PASSWORD = 'correct horse battery';
const salt = Buffer.alloc(16, 'salt');
/** The digest of PASSWORD. Its cost is low so that tests do not wait. */
export const KEPT_PASSWORD: PasswordDigest = { salt, cost: 2, digest: scryptSync(PASSWORD, salt, 32, { N: 2 }) };

export interface Window {
  /** The session's cookie and the browser's cookie, as a header. */
  readonly cookie: string;
  /** The data with which another window opens this session again; undefined if nobody is signed in. */
  readonly pass: Pass | undefined;
  /** The address of an API path for this session. */
  url(path: string): string;
  get(path: string, headers?: Call['headers']): Promise<Answer>;
  send(method: string, path: string, body?: unknown, headers?: Call['headers']): Promise<Answer>;
  /** Uploads a part of a file. */
  sendBytes(path: string, part: Uint8Array): Promise<Answer>;
}

/** What a browser keeps of a session. */
export interface Pass {
  /** The cookies as a header. */
  readonly cookie: string;
  /** The session's key in the address of the console. */
  readonly key: string;
}

/** Opens a console window with the session of `pass`, or without a session if `pass` is undefined. */
export function windowOf({ consoleUrl }: { readonly consoleUrl: string }, pass: Pass | undefined): Window {
  const { cookie, key } = pass ?? {};
  const url = (path: string): string =>
    consoleUrl + (key !== undefined && path.startsWith('/api/') ? `/s/${key}${path}` : path);
  return {
    cookie: cookie ?? '',
    pass,
    url,
    get: (path, headers) => call(url(path), { headers: { cookie, ...headers } }),
    send: (method, path, body, headers) =>
      call(url(path), {
        method,
        headers: {
          cookie,
          origin: consoleUrl,
          'sec-fetch-site': 'same-origin',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
    sendBytes: (path, part) =>
      call(url(path), {
        method: 'POST',
        headers: {
          cookie,
          origin: consoleUrl,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/octet-stream',
        },
        body: Buffer.from(part),
      }),
  };
}

/** Reads the session that an answer to a sign-in has started. */
export function passOf({ headers, text }: Answer): Pass | undefined {
  const cookies = /(?:__Host-)?counterfoil_(?:session|browser)_\d+=[^;]+/g;
  const cookie = [...(headers['set-cookie'] ?? '').matchAll(cookies)].map(([each]) => each).join('; ');
  const key = /(?:#session=|"key":")([\w-]+)/.exec(text)?.[1];
  return key === undefined ? undefined : { cookie, key };
}

/** A window of a manager who used a link. */
export async function enter(gateway: TestGateway): Promise<Window> {
  const answer = await call(gateway.createLink());
  return windowOf(gateway, passOf(answer));
}

export async function addUser(gateway: TestGateway, name: string, role: Role): Promise<void> {
  await gateway.store.people.add({ name, role, createdAt: Date.now(), password: KEPT_PASSWORD }, 'test');
}

/** A window of a user who signed in with PASSWORD. */
export async function signIn(gateway: Pick<TestGateway, 'consoleUrl'>, name: string): Promise<Window> {
  const answer = await windowOf(gateway, undefined).send('POST', '/api/session', { name, password: PASSWORD });
  return windowOf(gateway, passOf(answer));
}
