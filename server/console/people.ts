// Routes of people: sessions, the user's own password, and users. Managers add, change and remove users.

import { z } from 'zod';

import { ROLES } from '../contract/codes.ts';
import {
  type AddedUserView,
  type NewUserRequest,
  PASSWORD_HASH,
  type PasswordLinkView,
  type PasswordRequest,
  type SessionEnd,
  type SignedInView,
  type UserChangeRequest,
  type UserView,
} from '../contract/setup.ts';
import { assertNever, ConsoleError } from '../errors.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { digestPassword, isPassword, missingPassword, type PasswordDigest } from '../lib/password.ts';
import type { User, UserChange } from '../store/people/ledger.ts';
import { userName } from '../store/setup/input-schema.ts';
import { sendSignedOut } from './entrance.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertFitPassword, assertNoQuery, nothingHere, passwordText, readBody } from './request.ts';
import type { Routes } from './rights.ts';
import { listSecrets } from './session-cookie.ts';
import { stampOf } from './session.ts';

const passwordRequest = z.strictObject({
  current: passwordText,
  password: passwordText,
}) satisfies z.ZodType<PasswordRequest>;

const newUser = z.strictObject({
  name: userName,
  role: z.enum(ROLES),
  password: passwordText.exactOptional(),
}) satisfies z.ZodType<unknown, NewUserRequest>;
const userChange = z.strictObject({ role: z.enum(ROLES) }) satisfies z.ZodType<UserChangeRequest>;

export function bindPeople(routes: Routes, parts: ConsoleParts): void {
  bindOwnAccess(routes, parts);
  bindUsers(routes, parts);
}

function bindUsers(routes: Routes, { store, sessions, passwordLinks, notes, clock }: ConsoleParts): void {
  const linkFor = (user: UserView, replaced: PasswordDigest): PasswordLinkView => {
    const { code, expiresAt } = passwordLinks.create(user, stampOf(replaced));
    return { path: `/${PASSWORD_HASH}${code}`, expiresAt };
  };
  const endSessionsOf = (name: string, reason: SessionEnd): void =>
    sessions.endWhere(({ user }) => (user?.name === name ? reason : undefined));
  /** The user with the name in the path. */
  async function readUser(name: string | string[] | undefined): Promise<UserView> {
    const found = typeof name === 'string' ? await store.people.find(name) : undefined;
    if (found === undefined) throw nothingHere(NO_USER);
    const { password: _, ...user } = found;
    return user;
  }

  routes.forManagers.post('/api/users', async (req, res) => {
    assertNoQuery(req);
    const { name, role, password } = readBody(req, newUser);
    if (password !== undefined) assertFitPassword(password);
    const user = { name, role, createdAt: clock.now() };
    const digest = password === undefined ? missingPassword() : await digestPassword(password);
    const mine = sessionOf(res);
    const isFirst = !(await store.people.list()).some((known) => known.role === 'manager');
    if (!(await store.people.add({ ...user, password: digest }, mine.actor))) {
      throw new ConsoleError('already_there', {
        detail: 'A user of this name already exists. Choose another name.',
        errors: [parameterFault('name', 'known', 'already exists')],
      });
    }
    // At the first run, a person who signed in by a link makes a user for themselves, with name and password. The session then
    // becomes the session of this user.
    if (isFirst && role === 'manager' && password !== undefined && mine.user === undefined) {
      sessions.becomeUser(mine.id, user, stampOf(digest));
      notes.note({ kind: 'sign in', by: 'password' }, name, mine.address);
    }
    res.status(201).json({ user, link: password === undefined ? linkFor(user, digest) : null } satisfies AddedUserView);
  });

  routes.forManagers.patch('/api/users/:name', async (req, res) => {
    assertNoQuery(req);
    const { role } = readBody(req, userChange);
    const user = await readUser(req.params['name']);
    assertChanged(await store.people.changeRole({ name: user.name, role }, sessionOf(res).actor), user.name);
    if (role !== user.role) endSessionsOf(user.name, 'role');
    res.json({ ...user, role } satisfies UserView);
  });

  routes.forManagers.delete('/api/users/:name', async (req, res) => {
    assertNoQuery(req);
    const { name } = await readUser(req.params['name']);
    assertChanged(await store.people.remove(name, sessionOf(res).actor), name);
    endSessionsOf(name, 'removed');
    res.status(204).end();
  });

  routes.forManagers.post('/api/users/:name/reset', async (req, res) => {
    assertNoQuery(req);
    const { name } = await readUser(req.params['name']);
    const password = missingPassword();
    const user = await store.people.resetPassword({ name, password }, sessionOf(res).actor);
    if (user === undefined) throw nothingHere(NO_USER);
    endSessionsOf(name, 'password');
    res.status(201).json(linkFor(user, password));
  });
}

const NO_USER = 'This user does not exist.';

function assertChanged(result: UserChange, name: string): void {
  switch (result) {
    case 'changed':
      return;
    case 'unknown':
      throw nothingHere(NO_USER);
    case 'last manager':
      throw new ConsoleError('last_manager', {
        detail: `${name} cannot be removed or demoted: no other manager has a password. First give the role of manager to another user with a password.`,
      });
    default:
      assertNever(result);
  }
}

function bindOwnAccess(routes: Routes, { store, sessions, attempts, notes, scheme }: ConsoleParts): void {
  routes.forClerks.get('/api/sessions', (req, res) => {
    assertNoQuery(req);
    const mine = sessionOf(res);
    const shown = sessions.list().filter(({ person }) => mine.role === 'manager' || person === mine.person);
    res.json(
      shown.map(({ id, actor, role, address, startedAt, usedAt }): SignedInView => {
        return { id, actor, role, address, startedAt, usedAt, isThis: id === mine.id };
      }),
    );
  });

  routes.forClerks.delete('/api/sessions', (req, res) => {
    assertNoQuery(req);
    const mine = sessionOf(res);
    sessions.endWhere(({ person }) => (person === mine.person ? 'everywhere' : undefined));
    notes.note({ kind: 'sign out everywhere' }, mine.actor, mine.address);
    sendSignedOut(
      res,
      scheme,
      listSecrets(req, res, scheme).map(({ key }) => key),
    );
  });

  routes.forClerks.put('/api/password', async (req, res) => {
    assertNoQuery(req);
    const { current, password } = readBody(req, passwordRequest);
    const mine = sessionOf(res);
    if (mine.user === undefined) throw nothingHere('You signed in with a link and have no password.');
    const { name, createdAt } = mine.user;
    assertFitPassword(password);
    const attempt = attempts.begin(name, req.socket.remoteAddress ?? '');
    let isRight = false;
    let found: User | undefined;
    try {
      found = await store.people.find(name);
      isRight = await isPassword(current, found?.password);
    } finally {
      attempt.end(isRight);
    }
    if (!isRight || found === undefined)
      throw invalidFields([parameterFault('current', 'wrong_password', 'is not your password')]);
    const digest = await digestPassword(password);
    sessions.allowPassword(mine.id, stampOf(digest));
    const isChanged = await store.people.changePassword({
      name,
      createdAt,
      replaced: found.password,
      password: digest,
    });
    if (!isChanged) throw nothingHere('This user no longer exists, or has another password by now.');
    sessions.endWhere(({ id, person }) => (person === mine.person && id !== mine.id ? 'password' : undefined));
    res.status(204).end();
  });
}
