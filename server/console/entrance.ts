// Sign-in and sign-out. A one-time link signs in the owner of this machine; a name and a password sign in a user. After that, a
// cookie and a session key identify the session in each call.

import type { Express, Request, Response } from 'express';
import { z } from 'zod';

import { dataOption } from '../config.ts';
import { ACTORS } from '../contract/codes.ts';
import {
  type BegunSessionView,
  type EntranceView,
  SESSION_HASH,
  type SessionView,
  type SignInRequest,
  type UserView,
} from '../contract/setup.ts';
import { ConsoleError } from '../errors.ts';
import { reachableUrl } from '../lib/own-address.ts';
import { isPassword } from '../lib/password.ts';
import { PROGRAM } from '../program.ts';
import { VERSION } from '../version.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, readBody, readJson } from './request.ts';
import type { Routes } from './rights.ts';
import { listBrowsers, listSecrets, listSessionCookies, nameBrowser, setCookies } from './session-cookie.ts';
import type { Session } from './session.ts';

/** Binds the page of a one-time link. */
export function bindEntrance(app: Express, parts: ConsoleParts): void {
  const { links, sessions, scheme, notes } = parts;
  app.get('/enter', async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    // A prefetch would use the link up before anybody clicked it.
    if (!isOpened(req)) return void res.status(403).end();
    const query = URL.parse(req.url, 'http://x')?.searchParams;
    const code = linkQuery.safeParse(query?.get('code'));
    const to = ownPath.safeParse(query?.get('to')).data ?? '/';
    if (code.success && (await links.use(code.data))) {
      const { key } = begin(req, res, parts, { actor: ACTORS.link, role: 'manager', user: undefined });
      notes.note({ kind: 'sign in', by: 'link' }, ACTORS.link, addressOf(req));
      return sendPage(res, 200, signedInPage(`${to}${SESSION_HASH}${key}`));
    }
    if (sessions.hasBrowser(listBrowsers(req, scheme))) return sendPage(res, 200, signedInPage(to));
    if (code.success) notes.refused({ kind: 'refuse link' }, ACTORS.unknown, addressOf(req));
    sendPage(res, 401, USED_UP);
  });
}

function addressOf({ socket }: Request): string {
  return socket.remoteAddress ?? '';
}

/** The header values of a browser that prefetches a page. */
const LOOKS_AHEAD = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/**
 * Whether a person may have opened this address: false for a prefetch. Old browsers send none of these headers, and programs such
 * as the desktop app send only the mode `cors`, so both pass.
 */
function isOpened(req: Request): boolean {
  if (req.method !== 'GET' || req.get('sec-speculation-tags') !== undefined) return false;
  const [dest, mode = 'navigate'] = [req.get('sec-fetch-dest'), req.get('sec-fetch-mode')];
  const isPage = dest === undefined ? mode !== 'no-cors' : dest === 'document' && mode === 'navigate';
  if (!isPage) return false;
  return !LOOKS_AHEAD.some((name) => /prefetch|prerender|preview/i.test(req.get(name) ?? ''));
}

/**
 * Begins a session, ends the person's former one in that browser, and sets the cookies. The caller gives the session key to the
 * page.
 */
function begin(
  req: Request,
  res: Response,
  { sessions, scheme }: ConsoleParts,
  who: Pick<Session, 'actor' | 'role' | 'user'>,
): { readonly key: string } {
  const browsers = listBrowsers(req, scheme);
  const endedKeys = sessions.endFormer(who, browsers, listSessionCookies(req, scheme));
  const browser = browsers[0] ?? nameBrowser();
  const secrets = sessions.begin({ ...who, browser, address: addressOf(req) });
  setCookies(res, scheme, { begun: { ...secrets, browser }, endedKeys });
  return secrets;
}

const linkQuery = z.string().regex(/^[\w-]{20,100}$/);
/** A path of this console. None of its characters needs HTML escaping. */
const ownPath = z.string().regex(/^\/(?!\/)[\w/?=.-]{0,200}$/);

const signIn = z.strictObject({
  name: z.string().trim().min(1).max(100),
  password: z.string().max(10_000),
}) satisfies z.ZodType<SignInRequest>;

/** Binds the routes that need no session. */
export function bindSignIn(app: Express, parts: ConsoleParts): void {
  const { store, sessions, attempts, notes, scheme, log, dataDir } = parts;
  // With HTTPS the console is open to the network, so the command does not reveal the data directory.
  const command = `${PROGRAM} console${scheme === 'http' ? dataOption(dataDir) : ''}`;
  app.get('/api/entrance', async (req, res) => {
    assertNoQuery(req);
    const hasUsers = (await store.people.list()).length > 0;
    const isSignedIn = sessions.hasBrowser(listBrowsers(req, scheme));
    res.json({ hasUsers, isSignedIn, command } satisfies EntranceView);
  });

  app.post('/api/session', readJson, async (req, res) => {
    assertNoQuery(req);
    const { name, password } = readBody(req, signIn);
    const address = addressOf(req);
    const attempt = attempts.begin(name, address);
    let user: UserView | undefined;
    try {
      user = await checkUser(store, name, password);
    } finally {
      attempt.end(user !== undefined);
    }
    if (user === undefined) {
      log.warn({ address }, 'somebody could not sign in');
      notes.refused({ kind: 'refuse sign-in' }, ACTORS.unknown, address);
      throw new ConsoleError('sign_in_failed', { detail: 'The name or the password is wrong.' });
    }
    const who = { actor: user.name, role: user.role, user };
    const { key } = begin(req, res, parts, who);
    notes.note({ kind: 'sign in', by: 'password' }, user.name, address);
    res.json({ ...describeSession(who, parts), key } satisfies BegunSessionView);
  });
}

/** The user with this name and password. Undefined if either is wrong, or the user was removed during the check. */
async function checkUser(store: ConsoleParts['store'], name: string, password: string): Promise<UserView | undefined> {
  const known = await store.people.find(name);
  if (!(await isPassword(password, known?.password))) return undefined;
  const found = await store.people.find(name);
  if (found === undefined || found.createdAt !== known?.createdAt) return undefined;
  const { password: _, ...user } = found;
  return user;
}

/** Binds the routes of a window's own session. */
export function bindSession(routes: Routes, parts: ConsoleParts): void {
  routes.forClerks.get('/api/session', (req, res) => {
    assertNoQuery(req);
    res.json(describeSession(sessionOf(res), parts));
  });
  routes.forClerks.delete('/api/session', (req, res) => {
    assertNoQuery(req);
    const secrets = listSecrets(req, res, parts.scheme);
    for (const each of secrets) parts.sessions.end(each);
    parts.notes.note({ kind: 'sign out' }, sessionOf(res).actor, addressOf(req));
    sendSignedOut(
      res,
      parts.scheme,
      secrets.map(({ key }) => key),
    );
  });
}

/** Deletes the cookie, and the stored data of the console's pages. */
export function sendSignedOut(res: Response, scheme: ConsoleParts['scheme'], endedKeys: readonly string[]): void {
  setCookies(res, scheme, { endedKeys });
  res.setHeader('Clear-Site-Data', '"cache", "storage"'); // not "cookies", which would delete the cookies of every port of this host
  res.status(204).end();
}

function describeSession({ actor, role }: Pick<Session, 'actor' | 'role'>, { apiUrl }: ConsoleParts): SessionView {
  return { actor, role, version: VERSION, apiUrl: reachableUrl(apiUrl()) };
}

/** Sends a page, not a redirect: after a redirect from another site, the browser would not send the SameSite cookie. */
function sendPage(res: Response, status: number, { head, text }: { head: string; text: string }): void {
  res
    .status(status)
    .type('html')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>Counterfoil</title></head><body>${text}</body></html>\n`,
    );
}

function signedInPage(to: string): { head: string; text: string } {
  return {
    head: `<meta http-equiv="refresh" content="0;url=${to}">`,
    text: `<p>You are signed in. <a href="${to}">Open the console</a></p>`,
  };
}
const USED_UP = {
  head: '',
  text: `<p>This link has been used, or is older than ten minutes.</p><p>For a new one: <code>${PROGRAM} console</code></p>`,
};

/** Finds the session by the cookie and the session key of a call. */
export function findSession(
  req: Request,
  res: Response,
  { sessions, scheme }: Pick<ConsoleParts, 'sessions' | 'scheme'>,
): Session | undefined {
  for (const secrets of listSecrets(req, res, scheme)) {
    const session = sessions.use(secrets);
    if (session !== undefined) return session;
  }
  return undefined;
}
