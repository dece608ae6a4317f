// Sign-in and sign-out. A one-time link signs in the owner of this machine; a name and a password sign in a user. After that, a
// cookie and a session key identify the session in each call.

import type { Express, Request, Response } from 'express';
import { z } from 'zod';

import { ACTORS } from '../contract/codes.ts';
import {
  type BegunSessionView,
  type EntranceView,
  type LinkedPasswordRequest,
  type LinkedUserRequest,
  type LinkedUserView,
  SESSION_HASH,
  type SessionView,
  type SignInRequest,
  USED_LINK_HASH,
} from '../contract/setup.ts';
import { dataOption } from '../data-location.ts';
import { ConsoleError } from '../errors.ts';
import { reachableUrl } from '../lib/own-address.ts';
import { digestPassword, isPassword } from '../lib/password.ts';
import { PROGRAM } from '../program.ts';
import type { User } from '../store/people/ledger.ts';
import { VERSION } from '../version.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import type { PasswordLink } from './password-link.ts';
import { assertFitPassword, assertNoQuery, passwordText, readBody, readJson } from './request.ts';
import type { Routes } from './rights.ts';
import { listBrowsers, listSecrets, listSessionCookies, nameBrowser, setCookies } from './session-cookie.ts';
import { type Beginner, type Session, stampOf } from './session.ts';

/** Binds the page that a one-time link opens. */
export function bindEntrance(app: Express, parts: ConsoleParts): void {
  const { links, sessions, scheme, notes } = parts;
  app.get('/enter', async (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    // If this answered a prefetch, the prefetch would use the link up before anybody clicked it.
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

/** Headers that a browser sends when it prefetches a page. */
const LOOKS_AHEAD = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/**
 * False if the headers say that the call is a prefetch or is not the opening of a page. Old browsers send none of these
 * headers, so their calls pass. Programs such as the desktop app send only the mode `cors`; their calls pass too.
 */
function isOpened(req: Request): boolean {
  if (req.method !== 'GET' || req.get('sec-speculation-tags') !== undefined) return false;
  const [dest, mode = 'navigate'] = [req.get('sec-fetch-dest'), req.get('sec-fetch-mode')];
  const isPage = dest === undefined ? mode !== 'no-cors' : dest === 'document' && mode === 'navigate';
  if (!isPage) return false;
  return !LOOKS_AHEAD.some((name) => /prefetch|prerender|preview/i.test(req.get(name) ?? ''));
}

/**
 * Begins a session and sets the cookies. If the same person already has a session in this browser, ends that session. The
 * caller must give the session key to the page.
 */
function begin(
  req: Request,
  res: Response,
  { sessions, scheme }: ConsoleParts,
  who: Omit<Beginner, 'address' | 'browser'>,
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
  password: passwordText,
}) satisfies z.ZodType<SignInRequest>;

const passwordLink = z.strictObject({ code: linkQuery }) satisfies z.ZodType<LinkedUserRequest>;

const linkedPassword = passwordLink.extend({ password: passwordText }) satisfies z.ZodType<LinkedPasswordRequest>;

/** Binds the routes that need no session. */
export function bindSignIn(app: Express, parts: ConsoleParts): void {
  const { store, sessions, attempts, notes, passwordLinks, scheme, log, dataDir } = parts;
  // With HTTPS, the console is open to the network. So the command does not show the data directory, which strangers should not
  // know.
  const command = `${PROGRAM} console${scheme === 'http' ? dataOption(dataDir) : ''}`;
  app.get('/api/entrance', async (req, res) => {
    assertNoQuery(req);
    const hasUsers = (await store.people.list()).length > 0;
    const isSignedIn = sessions.hasBrowser(listBrowsers(req, scheme));
    const ended =
      listSecrets(req, res, scheme)
        .map(sessions.findEnd)
        .find((reason) => reason !== undefined) ?? null;
    res.json({ hasUsers, isSignedIn, command, ended } satisfies EntranceView);
  });

  app.post('/api/session', readJson, async (req, res) => {
    assertNoQuery(req);
    const { name, password } = readBody(req, signIn);
    const address = addressOf(req);
    const attempt = attempts.begin(name, address);
    let found: User | undefined;
    try {
      found = await checkUser(store, name, password);
    } finally {
      attempt.end(found !== undefined);
    }
    if (found === undefined) {
      log.warn({ address }, 'somebody could not sign in');
      notes.refused({ kind: 'refuse sign-in' }, ACTORS.unknown, address);
      throw new ConsoleError('sign_in_failed', { detail: 'The name or the password is wrong.' });
    }
    beginAs(found, req, res, parts);
  });

  app.post('/api/password-link/user', readJson, async (req, res) => {
    assertNoQuery(req);
    const { code } = readBody(req, passwordLink);
    const link = passwordLinks.find(code);
    if (link === undefined || (await findInForce(link, parts)) === undefined) throw usedLink(req, parts);
    res.json({ name: link.user.name } satisfies LinkedUserView);
  });

  app.post('/api/password-link', readJson, async (req, res) => {
    assertNoQuery(req);
    const { code, password } = readBody(req, linkedPassword);
    assertFitPassword(password);
    const user = await useLink(code, password, parts);
    if (user === undefined) throw usedLink(req, parts);
    sessions.endWhere((each) => (each.user?.name === user.name ? 'password' : undefined));
    beginAs(user, req, res, parts);
  });
}

/** Logs the refusal, and returns the error for it. */
function usedLink(req: Request, { notes }: ConsoleParts): ConsoleError {
  notes.refused({ kind: 'refuse link' }, ACTORS.unknown, addressOf(req));
  return new ConsoleError('password_link_used', {
    detail: 'The link was used or replaced, or has expired. Ask a manager for a new one.',
  });
}

/** Finds the user of a link. Resolves to undefined if the user's password has changed since the link was made. */
async function findInForce({ user, replaces }: PasswordLink, { store }: ConsoleParts): Promise<User | undefined> {
  const present = await store.people.find(user.name);
  return present !== undefined && stampOf(present.password) === replaces ? present : undefined;
}

/** Sets the password of the user of a link. Resolves to undefined if the link no longer works. */
async function useLink(code: string, password: string, parts: ConsoleParts): Promise<User | undefined> {
  const { store, passwordLinks } = parts;
  const link = passwordLinks.take(code);
  if (link === undefined) return undefined;
  const digest = await digestPassword(password);
  try {
    const present = await findInForce(link, parts);
    if (present === undefined) return undefined;
    const { name, createdAt, password: replaced } = present;
    if (!(await store.people.changePassword({ name, createdAt, replaced, password: digest }))) return undefined;
  } catch (error) {
    link.putBack();
    throw error;
  }
  const user = await store.people.find(link.user.name);
  return user !== undefined && stampOf(user.password) === stampOf(digest) ? user : undefined;
}

/** Begins the session of a user who has just given the right password or chosen a new one. The answer contains the session. */
function beginAs({ password, ...user }: User, req: Request, res: Response, parts: ConsoleParts): void {
  const who = { actor: user.name, role: user.role, user, passwords: [stampOf(password)] };
  const { key } = begin(req, res, parts, who);
  parts.notes.note({ kind: 'sign in', by: 'password' }, user.name, addressOf(req));
  res.json({ ...describeSession(who, parts), key } satisfies BegunSessionView);
}

/**
 * Checks the name and password of a user. Resolves to undefined if the name or the password is wrong. Also resolves to
 * undefined if the user was removed, or got another password, during the check.
 */
async function checkUser(store: ConsoleParts['store'], name: string, password: string): Promise<User | undefined> {
  const known = await store.people.find(name);
  if (!(await isPassword(password, known?.password))) return undefined;
  const found = await store.people.find(name);
  if (found === undefined || found.createdAt !== known?.createdAt) return undefined;
  return stampOf(found.password) === stampOf(known.password) ? found : undefined;
}

/** Binds the routes with which a page reads and ends its session. */
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

/** Deletes the cookies of the ended sessions, and the data that the console's pages stored in the browser. */
export function sendSignedOut(res: Response, scheme: ConsoleParts['scheme'], endedKeys: readonly string[]): void {
  setCookies(res, scheme, { endedKeys });
  // Does not contain "cookies", because that would delete the cookies of all ports of this host.
  res.setHeader('Clear-Site-Data', '"cache", "storage"');
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
  head: `<meta http-equiv="refresh" content="0;url=/${USED_LINK_HASH}">`,
  text: `<p>This link has been used, or is older than ten minutes.</p><p><a href="/${USED_LINK_HASH}">Go to the sign-in page</a></p><p>For a new link, run this command on the computer of the gateway: <code>${PROGRAM} console</code></p>`,
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
