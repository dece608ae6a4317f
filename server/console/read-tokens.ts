// Tokens with which programs read the API, such as the reporting of a chain. A call with a token has the rights of a clerk, but
// it may only read. Managers make and remove tokens.

import type { Request } from 'express';
import { z } from 'zod';

import type { AddedReadTokenView, NewReadTokenRequest, ReadToken, ReadTokenView } from '../contract/setup.ts';
import { ConsoleError } from '../errors.ts';
import { parameterFault } from '../http/validation.ts';
import { userName } from '../store/setup/input-schema.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere, readBody } from './request.ts';
import type { Routes } from './rights.ts';
import type { Session } from './session.ts';

const BEARER = /^Bearer +([\w-]{20,100})$/i;
/** A window's stream would stay open after its token is removed. Express also accepts a slash at the end. */
const STREAM = /^\/api\/live\/*$/;

/** The signals that end the running calls of removed tokens. */
export interface TokenSignals {
  /** Returns the signal that is aborted when the token is removed. */
  of(token: ReadToken): AbortSignal;
  /** Aborts the signals of all other tokens. */
  endOthers(present: readonly ReadToken[]): void;
}

export function openTokenSignals(): TokenSignals {
  const stops = new Map<string, AbortController>();
  const keyOf = ({ name, createdAt }: ReadToken): string => `${createdAt} ${name}`;
  return {
    of(token) {
      const stop = stops.get(keyOf(token)) ?? new AbortController();
      stops.set(keyOf(token), stop);
      return stop.signal;
    },
    endOthers(present) {
      const kept = new Set(present.map(keyOf));
      for (const [key, stop] of stops) {
        if (kept.has(key)) continue;
        stop.abort();
        stops.delete(key);
      }
    },
  };
}

const newToken = z.strictObject({ name: userName }) satisfies z.ZodType<NewReadTokenRequest>;

/**
 * Returns a session for the token of a call. Undefined if the call has no header Authorization. Throws `session_missing` for an
 * unknown token, and `read_only` if the call does not only read.
 */
export async function findTokenSession(
  req: Request,
  { store, clock, log, tokenSignals }: ConsoleParts,
): Promise<Session | undefined> {
  const header = req.get('authorization');
  if (header === undefined) return undefined;
  const secret = BEARER.exec(header)?.[1];
  const token = secret === undefined ? undefined : await store.people.findReadToken(secret);
  if (token === undefined) {
    throw new ConsoleError('session_missing', {
      detail: 'The token in the header Authorization is unknown or was removed. Send Authorization: Bearer TOKEN.',
    });
  }
  if (req.method !== 'GET' || STREAM.test(req.baseUrl + req.path))
    throw new ConsoleError('read_only', { detail: 'With a token, only GET is allowed, and not /api/live.' });
  const now = clock.now();
  store.people
    .noteReadTokenUse(token)
    .catch((err: unknown) => log.warn({ err }, 'the use of a read token could not be noted'));
  return {
    id: `token ${token.name}`,
    actor: `token ${token.name}`,
    role: 'clerk',
    user: undefined,
    passwords: [],
    person: 'read tokens', // all programs together have the share of one person in exports
    address: req.socket.remoteAddress ?? '',
    startedAt: now,
    usedAt: now,
    ended: tokenSignals.of(token),
  };
}

export function bindReadTokens({ forManagers }: Routes, { store }: ConsoleParts): void {
  forManagers.get('/api/read-tokens', async (req, res) => {
    assertNoQuery(req);
    res.json((await store.people.listReadTokens()) satisfies readonly ReadTokenView[]);
  });

  forManagers.post('/api/read-tokens', async (req, res) => {
    assertNoQuery(req);
    const token = await store.people.addReadToken(readBody(req, newToken).name, sessionOf(res).actor);
    if (token === undefined) {
      throw new ConsoleError('already_there', {
        detail: 'A token with this name already exists. Choose another name.',
        errors: [parameterFault('name', 'known', 'already exists')],
      });
    }
    res.status(201).json({ token } satisfies AddedReadTokenView);
  });

  forManagers.delete('/api/read-tokens/:name', async (req, res) => {
    assertNoQuery(req);
    const name = req.params['name'];
    if (typeof name !== 'string' || !(await store.people.removeReadToken(name, sessionOf(res).actor)))
      throw nothingHere('This token does not exist.');
    res.status(204).end();
  });
}
