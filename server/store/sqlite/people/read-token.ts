// Tokens with which programs read the console's API. Only the SHA-256 of a token is kept.

import { randomBytes } from 'node:crypto';

import type { ReadToken } from '../../../contract/setup.ts';
import { foldName } from '../../setup/input-rules.ts';
import { digestSecret } from '../../setup/key-secret.ts';
import type { Connection } from '../engine/database.ts';
import { noteAct } from '../setup/act-log.ts';

/** A use is written at most once in this time. */
const USED_MS = 60 * 60 * 1000;

/** Lists tokens by name. */
export function listReadTokens(db: Connection): ReadToken[] {
  return db
    .prepare<[], ReadToken>('SELECT name, created_at AS createdAt, used_at AS usedAt FROM read_tokens ORDER BY name')
    .all();
}

export function findReadToken(db: Connection, secret: string): ReadToken | undefined {
  return db
    .prepare<[Buffer], ReadToken>(
      'SELECT name, created_at AS createdAt, used_at AS usedAt FROM read_tokens WHERE digest = ?',
    )
    .get(digestOf(secret));
}

/** Makes a token, logs the act, and returns the token. Returns undefined if the name is taken. */
export function addReadToken(db: Connection, name: string, actor: string, now: number): string | undefined {
  const secret = `read_${randomBytes(32).toString('base64url')}`;
  return db
    .transaction(() => {
      if (listReadTokens(db).some((token) => foldName(token.name) === foldName(name))) return undefined;
      db.prepare('INSERT INTO read_tokens (name, digest, created_at) VALUES (?, ?, ?)').run(
        name,
        digestOf(secret),
        now,
      );
      noteAct(db, { act: { kind: 'add read token', name } }, actor, now);
      return secret;
    })
    .immediate();
}

/** Removes a token and logs the act. Returns false for an unknown name. */
export function removeReadToken(db: Connection, name: string, actor: string, now: number): boolean {
  return db
    .transaction(() => {
      const token = listReadTokens(db).find((each) => foldName(each.name) === foldName(name));
      if (token === undefined) return false;
      db.prepare('DELETE FROM read_tokens WHERE name = ?').run(token.name);
      noteAct(db, { act: { kind: 'remove read token', name: token.name } }, actor, now);
      return true;
    })
    .immediate();
}

/** Whether a use of the token at `now` has to be written. */
export function isUseDue({ usedAt }: ReadToken, now: number): boolean {
  return usedAt === null || now - usedAt >= USED_MS;
}

export function noteReadTokenUse(db: Connection, { name, createdAt }: ReadToken, now: number): void {
  db.prepare('UPDATE read_tokens SET used_at = ? WHERE name = ? AND created_at = ?').run(now, name, createdAt);
}

function digestOf(secret: string): Buffer {
  return Buffer.from(digestSecret(secret), 'base64');
}
