// How a browser carries a session. Browsers send a cookie to every port of a host, and any program of this machine may listen on
// one; so the cookie opens nothing without the session's key, which stands in the path of each call, /s/KEY/api/…. The pages keep
// the key in the storage of their origin, which no other port can read. Over HTTP the cookie is also for that path alone, which no
// other page knows; over HTTPS it has the prefix __Host-, which takes the path /. A second cookie names the browser and opens
// nothing: by it a new sign-in finds the former session.

import { randomBytes } from 'node:crypto';

import type { NextFunction, Request, Response } from 'express';

import type { ConsoleParts } from './parts.ts';
import type { SessionSecrets } from './session.ts';

type Scheme = ConsoleParts['scheme'];

const KEYED_PATH = /^\/s\/([\w-]{1,64})(\/api\/.*)$/s;
const BROWSER = /^[\w-]{22}$/;
const KEY = 'sessionKey';

/** Takes the key out of the path of a call and keeps it with the answer. */
export function takeSessionKey(req: Request, res: Response, next: NextFunction): void {
  const [, key, path] = KEYED_PATH.exec(req.url) ?? [];
  if (key !== undefined && path !== undefined) {
    res.locals[KEY] = key;
    req.url = path;
  }
  next();
}

/** What a call brought that may open a session: more than one where another port of this host has set a cookie too. */
export function listSecrets(req: Request, res: Response, scheme: Scheme): readonly SessionSecrets[] {
  const key = res.locals[KEY] as string | undefined;
  if (key === undefined) return [];
  return listSessionCookies(req, scheme).map((secret) => ({ secret, key }));
}

/** The values of the session's cookie, whatever key is with them. */
export function listSessionCookies(req: Request, scheme: Scheme): readonly string[] {
  return readCookies(req, cookieName('session', req, scheme));
}

/** The names of the browser that a call came from. */
export function listBrowsers(req: Request, scheme: Scheme): readonly string[] {
  return readCookies(req, cookieName('browser', req, scheme)).filter((each) => BROWSER.test(each));
}

export function nameBrowser(): string {
  return randomBytes(16).toString('base64url');
}

/** What an answer has a browser keep, until the browser ends, and forget. */
interface Carried {
  readonly begun?: SessionSecrets & { readonly browser: string };
  /** Of sessions that are over. */
  readonly endedKeys?: readonly string[];
}

export function setCookies(res: Response, scheme: Scheme, { begun, endedKeys = [] }: Carried): void {
  const { req } = res;
  const secure = scheme === 'https' ? '; Secure' : '';
  const write = (what: 'session' | 'browser', value: string, path: string, end = ''): string =>
    `${cookieName(what, req, scheme)}=${value}; Path=${path}; HttpOnly; SameSite=Strict${secure}${end}`;
  const forgotten = new Set(endedKeys.map((key) => pathOf(key, scheme)));
  if (begun !== undefined) forgotten.delete(pathOf(begun.key, scheme));
  res.setHeader('Set-Cookie', [
    ...(begun === undefined
      ? []
      : [write('session', begun.secret, pathOf(begun.key, scheme)), write('browser', begun.browser, '/')]),
    ...Array.from(forgotten, (path) => write('session', '', path, '; Max-Age=0')),
  ]);
}

function pathOf(key: string, scheme: Scheme): string {
  return scheme === 'https' ? '/' : `/s/${key}`;
}

/** Two gateways on one machine must not sign each other's people out: browsers know cookies by host and not by port. */
function cookieName(what: 'session' | 'browser', { socket }: Pick<Request, 'socket'>, scheme: Scheme): string {
  return `${scheme === 'https' ? '__Host-' : ''}counterfoil_${what}_${socket.localPort ?? 0}`;
}

/** The values of the cookies of a call that have this name. */
function readCookies(req: Request, name: string): string[] {
  const cookies = req.headers.cookie?.split(/;\s*/) ?? [];
  return cookies.filter((cookie) => cookie.startsWith(`${name}=`)).map((cookie) => cookie.slice(name.length + 1));
}
