// Routes of a user's own access: list the sessions, sign out everywhere, change the password.

import { z } from 'zod';

import type { PasswordRequest, SignedInView } from '../contract/setup.ts';
import { invalidFields, parameterFault } from '../http/validation.ts';
import { digestPassword, findPasswordFault, isPassword } from '../lib/password.ts';
import { sendSignedOut } from './entrance.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere, readBody } from './request.ts';
import type { Routes } from './rights.ts';
import { listSecrets } from './session-cookie.ts';
import type { Session } from './session.ts';

const passwordRequest = z.strictObject({
  current: z.string().max(10_000),
  password: z.string().max(10_000),
}) satisfies z.ZodType<PasswordRequest>;

export function bindPeople(routes: Routes, { store, sessions, attempts, notes, scheme }: ConsoleParts): void {
  routes.forClerks.get('/api/sessions', (req, res) => {
    assertNoQuery(req);
    const mine = sessionOf(res);
    const shown = sessions.list().filter((each) => mine.role === 'manager' || isOfSamePerson(each, mine));
    res.json(
      shown.map(({ id, actor, role, address, startedAt, usedAt }): SignedInView => {
        return { id, actor, role, address, startedAt, usedAt, isThis: id === mine.id };
      }),
    );
  });

  routes.forClerks.delete('/api/sessions', (req, res) => {
    assertNoQuery(req);
    const mine = sessionOf(res);
    sessions.endWhere((each) => isOfSamePerson(each, mine));
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
    const weakness = findPasswordFault(password);
    if (weakness !== undefined) throw invalidFields([parameterFault('password', 'weak_password', weakness)]);
    const attempt = attempts.begin(name, req.socket.remoteAddress ?? '');
    let isRight = false;
    try {
      isRight = await isPassword(current, (await store.people.find(name))?.password);
    } finally {
      attempt.end(isRight);
    }
    if (!isRight) throw invalidFields([parameterFault('current', 'wrong_password', 'is not your password')]);
    const isChanged = await store.people.changePassword({ name, createdAt, password: await digestPassword(password) });
    if (!isChanged) throw nothingHere('This user no longer exists.');
    sessions.endWhere((each) => isOfSamePerson(each, mine) && each.id !== mine.id);
    res.status(204).end();
  });
}

/** Whether two sessions belong to one person. All sessions from one-time links count as one person's. */
function isOfSamePerson({ user, actor }: Session, mine: Session): boolean {
  return actor === mine.actor && user?.createdAt === mine.user?.createdAt;
}
