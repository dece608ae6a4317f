// A call proves its session by a cookie, and by a key in the path of the call, /s/KEY/api/…. Browsers send a cookie to every
// port of a host, and any program on this machine may listen on a port. So the cookie alone does not open the session. The
// pages keep the key in the storage of their origin, which no other port can read. Over HTTP, the cookie is valid only for the
// path with the key. Over HTTPS, it has the prefix __Host-, which requires the path /. A second cookie names the browser and
// gives no rights. With it, a new sign-in finds the earlier session of that browser.

import { randomBytes } from 'node:crypto';

import { parseCookie, stringifySetCookie } from 'cookie';
import type { NextFunction, Request, Response } from 'express';

import type { ConsoleParts } from './parts.ts';
import type { SessionSecrets } from './session.ts';

type Scheme = ConsoleParts['scheme'];

const KEYED_PATH = /^\/s\/([\w-]{1,64})(\/api\/.*)$/s;
const BROWSER = /^[\w-]{22}$/;
const KEY = 'sessionKey';

/** Moves the session key from the path of a call to `res.locals`. */
export function takeSessionKey(req: Request, res: Response, next: NextFunction): void {
  const [, key, path] = KEYED_PATH.exec(req.url) ?? [];
  if (key !== undefined && path !== undefined) {
    res.locals[KEY] = key;
    req.url = path;
  }
  next();
}

/**
 * Returns pairs of a session cookie and the key in the path. At most one pair belongs to a session. There are several pairs if
 * a program on another port of this host has also set a cookie.
 */
export function listSecrets(req: Request, res: Response, scheme: Scheme): readonly SessionSecrets[] {
  const key = res.locals[KEY] as string | undefined;
  if (key === undefined) return [];
  return listSessionCookies(req, scheme).map((secret) => ({ secret, key }));
}

/** The values of all session cookies in a call, whether or not the call has the session's key. */
export function listSessionCookies(req: Request, scheme: Scheme): readonly string[] {
  return readCookies(req, cookieName('session', req, scheme));
}

/**
 * Returns the values of the cookie that names the browser. There are several values if a program on another port of this host
 * has also set one.
 */
export function listBrowsers(req: Request, scheme: Scheme): readonly string[] {
  return readCookies(req, cookieName('browser', req, scheme)).filter((each) => BROWSER.test(each));
}

export function nameBrowser(): string {
  return randomBytes(16).toString('base64url');
}

/** Changes to the cookies of a browser. The browser keeps these cookies until it is closed. */
interface CookieChanges {
  readonly begun?: SessionSecrets & { readonly browser: string };
  /** The keys of ended sessions. */
  readonly endedKeys?: readonly string[];
}

export function setCookies(res: Response, scheme: Scheme, { begun, endedKeys = [] }: CookieChanges): void {
  const { req } = res;
  const write = (what: 'session' | 'browser', value: string, path: string, maxAge?: number): string =>
    stringifySetCookie({
      name: cookieName(what, req, scheme),
      value,
      path,
      httpOnly: true,
      sameSite: 'strict',
      secure: scheme === 'https',
      ...(maxAge !== undefined && { maxAge }),
    });
  const forgotten = new Set(endedKeys.map((key) => pathOf(key, scheme)));
  if (begun !== undefined) forgotten.delete(pathOf(begun.key, scheme));
  res.setHeader('Set-Cookie', [
    ...(begun === undefined
      ? []
      : [write('session', begun.secret, pathOf(begun.key, scheme)), write('browser', begun.browser, '/')]),
    ...Array.from(forgotten, (path) => write('session', '', path, 0)),
  ]);
}

function pathOf(key: string, scheme: Scheme): string {
  return scheme === 'https' ? '/' : `/s/${key}`;
}

/**
 * The name of a cookie. It contains the port, because browsers share cookies between all ports of a host. Without the port, two
 * gateways on one machine would overwrite each other's cookies.
 */
function cookieName(what: 'session' | 'browser', { socket }: Pick<Request, 'socket'>, scheme: Scheme): string {
  return `${scheme === 'https' ? '__Host-' : ''}counterfoil_${what}_${socket.localPort ?? 0}`;
}

/**
 * Returns all values of a cookie name, not only the first. `parseCookie` drops repeated names, so each pair is parsed
 * separately.
 */
function readCookies(req: Request, name: string): string[] {
  const pairs = req.headers.cookie?.split(';') ?? [];
  return pairs.map((pair) => parseCookie(pair)[name]).filter((value) => value !== undefined);
}
