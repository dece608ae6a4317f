// Where a call comes from. The browser says by which name the console was called (Host) and which page did it (Origin,
// Sec-Fetch-Site); a page that was pointed here by another name, or that is not the console's own, gets nothing done.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

import { ConsoleError } from '../errors.ts';
import { PROGRAM } from '../program.ts';

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;

/** The console's other names: those that its certificate is for. */
export type IsOwnName = (name: string) => boolean;

/** Whether a Host header names this machine to itself. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}

/** Whether a call was made by one of the console's names. */
export function isOwnHost(req: IncomingMessage, isOwnName: IsOwnName): boolean {
  return findOwnHost(req, isOwnName) !== undefined;
}

/** The one name that the call was made by. Throws when it is none of the console's. */
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

/** A Host header, or the target of a request (RFC 9112, 3.2.2), has a name that is not the console's. */
export function nameRefused(): ConsoleError {
  return new ConsoleError('origin_refused', {
    detail: `The console is not called by this name. Open it by the address that ${PROGRAM} console prints.`,
  });
}

/** Throws for a change that none of the console's own pages asks for, and for a look at the API by the page of another. */
export function assertOwnPage(
  { method = '', headers }: { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders },
  ownOrigin: string,
  isApi: boolean,
): void {
  const isLook = method === 'GET' || method === 'HEAD';
  const site = headers['sec-fetch-site'];
  // A person's own doing, such as an address typed in, has no site.
  if (isLook && (!isApi || site === undefined || site === 'same-origin' || site === 'none')) return;
  if (!isLook && headers.origin === ownOrigin && (site === undefined || site === 'same-origin')) return;
  throw new ConsoleError('origin_refused', {
    detail: isLook
      ? 'Another page may not read the console.'
      : "Changes are only taken from the console's own pages: the Origin header must name them.",
  });
}
