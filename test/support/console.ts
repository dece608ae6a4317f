// Calls of the console as its own window makes them: with a session, from its own origin.

import { scryptSync } from 'node:crypto';

import type { Role } from '../../server/contract.ts';
import type { PasswordDigest } from '../../server/password.ts';
import { type Answer, type Call, call } from './http-call.ts';
import type { TestGateway } from './open-gateway.ts';

export const PASSWORD = 'correct horse battery';
const salt = Buffer.alloc(16, 'salt');
/** As it is kept, at a cost that nobody has to wait for. */
export const KEPT_PASSWORD: PasswordDigest = { salt, cost: 2, digest: scryptSync(PASSWORD, salt, 32, { N: 2 }) };

export interface Window {
  /** The session's cookie, as a header has it. */
  readonly cookie: string;
  get(path: string, headers?: Call['headers']): Promise<Answer>;
  send(method: string, path: string, body?: unknown, headers?: Call['headers']): Promise<Answer>;
}

/** A window with the session of a cookie; undefined for one that nobody is signed in to. */
export function windowOf({ consoleUrl }: { readonly consoleUrl: string }, cookie: string | undefined): Window {
  return {
    cookie: cookie ?? '',
    get: (path, headers) => call(consoleUrl + path, { headers: { cookie, ...headers } }),
    send: (method, path, body, headers) =>
      call(consoleUrl + path, {
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
  };
}

/** The cookie that an answer sets. */
export function cookieOf({ headers }: Answer): string | undefined {
  return /^counterfoil_session_\d+=[^;]+/.exec(headers['set-cookie'] ?? '')?.[0];
}

/** A window of a manager who came by a link. */
export async function enter(gateway: TestGateway): Promise<Window> {
  const answer = await call(gateway.createLink());
  return windowOf(gateway, cookieOf(answer));
}

export async function addUser(gateway: TestGateway, name: string, role: Role): Promise<void> {
  await gateway.store.addUser({ name, role, createdAt: Date.now(), password: KEPT_PASSWORD }, 'test');
}

/** A window of a user who signed in with PASSWORD. */
export async function signIn(gateway: Pick<TestGateway, 'consoleUrl'>, name: string): Promise<Window> {
  const answer = await windowOf(gateway, undefined).send('POST', '/api/session', { name, password: PASSWORD });
  return windowOf(gateway, cookieOf(answer));
}
