// Checks the origin of a call. Its Host must name the console. A change must come from a page of the console, as the headers
// Origin and Sec-Fetch-Site say. This stops DNS rebinding and cross-site requests.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import { ConsoleError } from '../errors.ts';
import { PROGRAM } from '../program.ts';

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;

/** Whether the certificate contains this host name. The console accepts calls to such a name. */
export type IsOwnName = (name: string) => boolean;

/** Whether a Host header contains a loopback name or address, such as localhost. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}

/** Whether the Host of a call names the console. */
export function isOwnHost(req: IncomingMessage, isOwnName: IsOwnName): boolean {
  return findOwnHost(req, isOwnName) !== undefined;
}

/** Returns the host that a call names. Throws `origin_refused` if it is not a name of the console. */
export function assertOwnHost(req: IncomingMessage, isOwnName: IsOwnName): string {
  const host = findOwnHost(req, isOwnName);
  if (host === undefined) throw nameRefused();
  return host;
}

function findOwnHost(req: IncomingMessage, isOwnName: IsOwnName): string | undefined {
  const [host = '', ...more] = req.headersDistinct['host'] ?? [];
  const name = /^([^:@/\s]+|\[[\da-f:.]+\])(?::\d+)?$/i.exec(host)?.[1];
  return more.length === 0 && (isLoopbackHost(host) || (name !== undefined && isOwnName(name))) ? host : undefined;
}

/** The error when the Host header or the request target (RFC 9112, 3.2.2) has a foreign name. */
export function nameRefused(): ConsoleError {
  return new ConsoleError('origin_refused', {
    detail: `The console does not answer at this address. Open the address that ${PROGRAM} console prints.`,
  });
}

/**
 * Throws `origin_refused` if a change does not come from a page of the console, or if a page of another site reads the API. Throws
 * `read_only` if a program with a token tries a change.
 */
export function assertOwnPage(
  { method = '', headers }: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders },
  ownOrigin: string,
  isApi: boolean,
): void {
  const isLook = method === 'GET' || method === 'HEAD';
  const site = headers['sec-fetch-site'];
  // `site` is the header Sec-Fetch-Site. It is undefined in old browsers, and `none` if the user typed the address.
  if (isLook && (!isApi || site === undefined || site === 'same-origin' || site === 'none')) return;
  if (!isLook && headers.origin === ownOrigin && (site === undefined || site === 'same-origin')) return;
  if (!isLook && headers.authorization !== undefined)
    throw new ConsoleError('read_only', { detail: 'A token can only read: send GET.' });
  throw new ConsoleError('origin_refused', {
    detail: isLook
      ? 'A page of another site may not read the console.'
      : "Only the console's own pages may change anything: the Origin header must be the console's address.",
  });
}
