// One-time links with which users choose a password. They are in memory only, so no copy of the data opens anything, and a restart
// of the gateway ends them. A link ends after 24 hours, with its use, and when its user gets another link or another password.

import { hash, randomBytes } from 'node:crypto';

import type { UserView } from '../contract/setup.ts';
import type { Clock } from '../lib/clock.ts';

const LIFETIME_MS = 24 * 60 * 60 * 1000;

export interface PasswordLinks {
  /**
   * Makes a link and returns its code: 256 random bits, URL-safe. Ends the user's other link. `replaces` is the stamp of the user's
   * password.
   */
  create(user: UserView, replaces: string): { readonly code: string; readonly expiresAt: number };
  /** Finds a link without using it up. Undefined for an unknown, used or expired link. */
  find(code: string): PasswordLink | undefined;
  /** Uses a link up. Undefined for an unknown, used or expired link. */
  take(code: string): TakenLink | undefined;
}

export interface PasswordLink {
  readonly user: UserView;
  /** The stamp of the password that the link replaces. It replaces no other one. */
  readonly replaces: string;
}

export interface TakenLink extends PasswordLink {
  /** Makes the link usable again, because the password could not be stored. Does nothing if the user has another one by now. */
  putBack(): void;
}

interface Kept extends PasswordLink {
  /** On the monotonic clock. */
  readonly endsAt: number;
}

export function openPasswordLinks(clock: Clock): PasswordLinks {
  /** By the SHA-256 of the code. */
  const links = new Map<string, Kept>();
  const digestOf = (code: string): string => hash('sha256', code, 'base64');
  const forgetWhere = (isOver: (link: Kept) => boolean): void => {
    for (const [digest, link] of links) if (isOver(link)) links.delete(digest);
  };
  function find(code: string): Kept | undefined {
    forgetWhere(({ endsAt }) => endsAt <= clock.monotonic());
    return links.get(digestOf(code));
  }
  return {
    create(user, replaces) {
      forgetWhere((link) => link.user.name === user.name || link.endsAt <= clock.monotonic());
      const code = randomBytes(32).toString('base64url');
      links.set(digestOf(code), { user, replaces, endsAt: clock.monotonic() + LIFETIME_MS });
      return { code, expiresAt: clock.now() + LIFETIME_MS };
    },
    find,
    take(code) {
      const digest = digestOf(code);
      const link = find(code);
      if (link === undefined) return undefined;
      links.delete(digest);
      return {
        user: link.user,
        replaces: link.replaces,
        putBack() {
          const hasOther = links.values().some(({ user }) => user.name === link.user.name);
          if (!hasOther) links.set(digest, link);
        },
      };
    },
  };
}
