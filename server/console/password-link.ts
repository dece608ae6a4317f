// One-time links with which users choose a password. They are kept in memory only, so a copy of the data contains no valid
// link. A restart of the gateway ends all links. A link also ends after 24 hours, when it is used, and when its user gets
// another link or another password.

import { hash, randomBytes } from 'node:crypto';

import type { UserView } from '../contract/setup.ts';
import type { Clock } from '../lib/clock.ts';

const LIFETIME_MS = 24 * 60 * 60 * 1000;

export interface PasswordLinks {
  /**
   * Makes a link and returns its code: 256 random bits that need no URL encoding. If the user already has a link, ends that
   * link. `replaces` is the stamp of the user's current password.
   */
  create(user: UserView, replaces: string): { readonly code: string; readonly expiresAt: number };
  /** Finds a link without using it up. Undefined for an unknown, used or expired link. */
  find(code: string): PasswordLink | undefined;
  /** Uses a link up. Undefined for an unknown, used or expired link. */
  take(code: string): TakenLink | undefined;
}

export interface PasswordLink {
  readonly user: UserView;
  /** The stamp of the password that this link may replace. If the user's password has another stamp, the link is invalid. */
  readonly replaces: string;
}

export interface TakenLink extends PasswordLink {
  /** Makes the link usable again if the password could not be stored. Does nothing if the user already has another link. */
  putBack(): void;
}

interface Kept extends PasswordLink {
  /** Expiry time on the monotonic clock. */
  readonly endsAt: number;
}

export function openPasswordLinks(clock: Clock): PasswordLinks {
  /** The links by the SHA-256 of their code. */
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
