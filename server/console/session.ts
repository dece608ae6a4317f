// Sessions, in memory only: a restart ends them all. A session needs two secrets: the cookie, kept here as its SHA-256, and the
// key, which only the console's own pages know. A session ends at sign-out, at a new sign-in in the same browser, after twelve
// hours without use, and a week after its start. If a person begins an eleventh session, the one that has been idle longest
// ends. The sign-in page can show why a session ended.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

import type { Role } from '../contract/codes.ts';
import type { SessionEnd, UserView } from '../contract/setup.ts';
import type { Clock } from '../lib/clock.ts';
import type { PasswordDigest } from '../lib/password.ts';

const MAX_IDLE_MS = 12 * 60 * 60 * 1000;
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_SESSIONS_OF_PERSON = 10;
/** Maximum ended sessions whose reason is kept. Beyond this number, the oldest is dropped. */
const MAX_KEPT_ENDS = 1000;

export interface Session {
  /** The public id of the session. It gives no rights. */
  readonly id: string;
  /** The name in the log of acts. */
  readonly actor: string;
  readonly role: Role;
  /** The user. Undefined if a one-time link began the session. */
  readonly user: UserView | undefined;
  /**
   * The stamps of the passwords with which the session stays open. If the user gets a password with another stamp, the session
   * ends. Empty for a session that a link began.
   */
  readonly passwords: readonly string[];
  /**
   * The id of the person. It is equal for all sessions of one user, and for all sessions from links. A later user with the same
   * name has another id.
   */
  readonly person: string;
  /** The address of the browser at sign-in. */
  readonly address: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly usedAt: number;
  /** This signal is aborted when the session ends for any reason. */
  readonly ended: AbortSignal;
}

/** The two secrets of a session. A call needs both. */
export interface SessionSecrets {
  readonly secret: string;
  /** URL-safe. */
  readonly key: string;
}

/** The person who begins a session, and their browser. */
export interface Beginner extends Pick<Session, 'actor' | 'role' | 'user' | 'address'> {
  readonly passwords?: Session['passwords'];
  readonly browser: string;
}

export interface Sessions {
  /** Begins a session. If the person already has ten, ends the one that has been idle longest. */
  begin(who: Beginner): SessionSecrets;
  /** Finds the session by its two secrets, and notes the time of use. Undefined if there is no such session. */
  use(secrets: SessionSecrets): Session | undefined;
  end(secrets: SessionSecrets): void;
  /**
   * Ends the sessions of the same person in these browsers. Also ends the sessions whose cookie secrets are in `secrets`.
   * Returns the keys of the ended sessions. Other programs of the machine can read the names of browsers, so a name alone never
   * ends a session of another person.
   */
  endFormer(who: Pick<Session, 'user'>, browsers: readonly string[], secrets: readonly string[]): readonly string[];
  /** Turns a session from a link into a session of this user. `stamp` is the stamp of the user's password. */
  becomeUser(id: string, user: UserView, stamp: string): void;
  /** Keeps a session open although its user gets a new password. `stamp` is the stamp of that password. */
  allowPassword(id: string, stamp: string): void;
  /** Whether one of these browsers has a session. */
  hasBrowser(browsers: readonly string[]): boolean;
  /** Newest first. */
  list(): readonly Session[];
  /** Ends every session for which `reasonFor` returns a reason. */
  endWhere(reasonFor: (session: Session) => SessionEnd | undefined): void;
  /**
   * Returns the reason why a session ended. Undefined after a sign-out in its own browser, and after a restart of the gateway.
   */
  findEnd(secrets: SessionSecrets): SessionEnd | undefined;
}

/**
 * The same time on two clocks, because each of them alone may be wrong. The monotonic clock may stop while the machine sleeps.
 * A person may change the other clock.
 */
interface Instant {
  readonly at: number;
  readonly monotonic: number;
}

interface Kept {
  about: Omit<Session, 'usedAt' | 'passwords'>;
  passwords: readonly string[];
  readonly browser: string;
  readonly key: string;
  readonly stop: AbortController;
  readonly started: Instant;
  used: Instant;
}

export function openSessions(clock: Clock): Sessions {
  const sessions = new Map<string, Kept>();
  /** The reasons of ended sessions by the digest of their secret, oldest first. */
  const ends = new Map<string, { readonly key: string; readonly reason: SessionEnd }>();
  const digestOf = (secret: string): string => hash('sha256', secret, 'base64');
  const thisInstant = (): Instant => ({ at: clock.now(), monotonic: clock.monotonic() });
  const since = ({ at, monotonic }: Instant): number => Math.max(clock.now() - at, clock.monotonic() - monotonic);
  const leftMs = ({ used, started }: Kept): number => Math.min(MAX_IDLE_MS - since(used), MAX_AGE_MS - since(started));
  const viewOf = ({ about, passwords, used }: Kept): Session => ({ ...about, passwords, usedAt: used.at });

  /** Ends a session. `reason` is left out if the session's own browser ended it: then the sign-in page explains nothing. */
  function end(digest: string, reason?: SessionEnd): void {
    const session = sessions.get(digest);
    if (session === undefined) return;
    sessions.delete(digest);
    if (reason !== undefined) ends.set(digest, { key: session.key, reason });
    const [oldest = ''] = ends.keys();
    if (ends.size > MAX_KEPT_ENDS) ends.delete(oldest);
    session.stop.abort();
  }

  /** Ends the session if it has expired. Returns whether it still exists. */
  function isLeft(digest: string, session: Kept): boolean {
    if (leftMs(session) > 0) return true;
    end(digest, since(session.started) >= MAX_AGE_MS ? 'old' : 'idle');
    return false;
  }

  /** Ends the session if it has expired. Otherwise sets a timer to check again. */
  function endWhenOver(digest: string): void {
    const session = sessions.get(digest);
    if (session !== undefined && isLeft(digest, session)) clock.after(leftMs(session), () => endWhenOver(digest));
  }

  function find({ secret, key }: SessionSecrets): { digest: string; session: Kept } | undefined {
    const digest = digestOf(secret);
    const session = sessions.get(digest);
    return session !== undefined && isEqual(session.key, key) ? { digest, session } : undefined;
  }

  return {
    begin({ browser, passwords = [], ...who }) {
      const secret = randomBytes(32).toString('base64url');
      const key = randomBytes(16).toString('base64url');
      const digest = digestOf(secret);
      const stop = new AbortController();
      const started = thisInstant();
      const id = randomBytes(8).toString('hex');
      const person = personOf(who);
      const own = [...sessions].filter(([, session]) => session.about.person === person);
      const byUse = own.toSorted(([, one], [, other]) => one.used.monotonic - other.used.monotonic);
      for (const [longestUnused] of byUse.slice(0, Math.max(0, own.length - MAX_SESSIONS_OF_PERSON + 1)))
        end(longestUnused, 'replaced');
      const about = { ...who, id, person, startedAt: started.at, ended: stop.signal };
      sessions.set(digest, { about, passwords, browser, key, stop, started, used: started });
      endWhenOver(digest);
      return { secret, key };
    },
    use(secrets) {
      const { digest = '', session } = find(secrets) ?? {};
      // The session may have expired while the machine was asleep. Its timer has not run yet.
      if (session === undefined || !isLeft(digest, session)) return undefined;
      session.used = thisInstant();
      return viewOf(session);
    },
    end(secrets) {
      const found = find(secrets);
      if (found !== undefined) end(found.digest);
    },
    endFormer(who, browsers, secrets) {
      const brought = new Set(secrets.map(digestOf));
      const former = [...sessions].filter(
        ([digest, { about, browser }]) =>
          brought.has(digest) || (browsers.includes(browser) && about.person === personOf(who)),
      );
      for (const [digest] of former) end(digest);
      return former.map(([, { key }]) => key);
    },
    becomeUser(id, user, stamp) {
      for (const session of sessions.values()) {
        if (session.about.id !== id) continue;
        session.about = { ...session.about, actor: user.name, role: user.role, user, person: personOf({ user }) };
        session.passwords = [stamp];
      }
    },
    allowPassword(id, stamp) {
      for (const session of sessions.values())
        if (session.about.id === id) session.passwords = [...session.passwords, stamp];
    },
    hasBrowser: (browsers) =>
      [...sessions.values()].some((session) => browsers.includes(session.browser) && leftMs(session) > 0),
    list: () => [...sessions.values()].map(viewOf).toReversed(),
    endWhere(reasonFor) {
      for (const [digest, session] of sessions) {
        const reason = reasonFor(viewOf(session));
        if (reason !== undefined) end(digest, reason);
      }
    },
    findEnd({ secret, key }) {
      const ended = ends.get(digestOf(secret));
      return ended !== undefined && isEqual(ended.key, key) ? ended.reason : undefined;
    },
  };
}

/**
 * Returns a stamp: a hash of the stored password digest. With it, the console can tell that a password has changed, without
 * keeping the digest.
 */
export function stampOf({ digest }: PasswordDigest): string {
  return hash('sha256', Buffer.from(digest), 'base64');
}

function personOf({ user }: Pick<Session, 'user'>): string {
  return user === undefined ? 'link' : `user ${user.createdAt} ${user.name}`;
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
