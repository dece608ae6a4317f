// One-time links into the console. A link opens one session before it expires. Any process can make a link for a running
// gateway. Only the SHA-256 of its secret is kept.

import { randomBytes } from 'node:crypto';

import { digestSecret } from '../../setup/key-secret.ts';
import type { Connection } from '../engine/database.ts';

/**
 * Makes a link and returns its secret. The secret has 256 random bits, in characters that a URL allows. `expiresAt` is in epoch
 * milliseconds.
 */
export function createLink(db: Connection, expiresAt: number): string {
  const secret = randomBytes(32).toString('base64url');
  db.prepare('INSERT INTO links (digest, expires_at) VALUES (?, ?)').run(digestOfLink(secret), expiresAt);
  return secret;
}

/** Uses up a link, and deletes expired ones. Returns false when the link is unknown, used or expired. */
export function useLink(db: Connection, secret: string, now: number): boolean {
  return db
    .transaction(() => {
      db.prepare('DELETE FROM links WHERE expires_at <= ?').run(now);
      return db.prepare('DELETE FROM links WHERE digest = ?').run(digestOfLink(secret)).changes === 1;
    })
    .immediate();
}

function digestOfLink(secret: string): Buffer {
  return Buffer.from(digestSecret(secret), 'base64');
}
