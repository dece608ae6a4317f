// Who is signed in: in memory only, so a restart ends every session. A session takes two secrets: one in a cookie, of which only
// the SHA-256 is kept here, and its key, which the console's own pages alone know. It ends when its user signs out, when they
// sign in again in that browser, when nobody has used it for half a day, and after a week. A person who begins more than
// ten loses the longest unused one.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

import type { Role } from '../contract/codes.ts';
import type { UserView } from '../contract/setup.ts';
import type { Clock } from '../lib/clock.ts';

const MAX_IDLE_MS = 12 * 60 * 60 * 1000;
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_SESSIONS_OF_PERSON = 10;

export interface Session {
  /** Names it and opens nothing. */
  readonly id: string;
  /** As the log of acts names them. */
  readonly actor: string;
  readonly role: Role;
  /** Who signed in with a password; undefined for a session begun by a link. */
  readonly user: UserView | undefined;
  /** The same in all sessions of one user, and in all that began by a link. */
  readonly person: string;
  /** Where the browser was when it signed in. */
  readonly address: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly usedAt: number;
  /** Aborted when it ends, however that comes about. */
  readonly ended: AbortSignal;
}

/** What opens a session; neither does so alone. */
export interface SessionSecrets {
  readonly secret: string;
  /** May stand in a path. */
  readonly key: string;
}

/** Who begins a session, and in which browser. */
export interface Beginner extends Pick<Session, 'actor' | 'role' | 'user' | 'address'> {
  readonly browser: string;
}

export interface Sessions {
  /** Ends the longest unused one of a person who has ten already. */
  begin(who: Beginner): SessionSecrets;
  /** Finds the session of both secrets and counts this as use. */
  use(secrets: SessionSecrets): Session | undefined;
  end(secrets: SessionSecrets): void;
  /**
   * Ends the sessions of the same person in these browsers, and those of the secrets that a call has brought. Returns their keys.
   * Other programs of the machine can read the names of browsers, so those alone end nobody else's session.
   */
  endFormer(who: Pick<Session, 'user'>, browsers: readonly string[], secrets: readonly string[]): readonly string[];
  /** Whether one of these browsers is signed in. */
  hasBrowser(browsers: readonly string[]): boolean;
  /** Newest first. */
  list(): readonly Session[];
  /** Whether anybody is in with a password. */
  hasUsers(): boolean;
  /** Ends every session for which `isOver` holds. */
  endWhere(isOver: (session: Session) => boolean): void;
}

/** By both clocks, because the monotonic one may stand still while the machine sleeps. */
interface Instant {
  readonly at: number;
  readonly monotonic: number;
}

interface Kept {
  readonly about: Omit<Session, 'usedAt'>;
  readonly browser: string;
  readonly key: string;
  readonly stop: AbortController;
  readonly started: Instant;
  used: Instant;
}

export function openSessions(clock: Clock): Sessions {
  const sessions = new Map<string, Kept>();
  const digestOf = (secret: string): string => hash('sha256', secret, 'base64');
  const thisInstant = (): Instant => ({ at: clock.now(), monotonic: clock.monotonic() });
  const since = ({ at, monotonic }: Instant): number => Math.max(clock.now() - at, clock.monotonic() - monotonic);
  const leftMs = ({ used, started }: Kept): number => Math.min(MAX_IDLE_MS - since(used), MAX_AGE_MS - since(started));
  const viewOf = ({ about, used }: Kept): Session => ({ ...about, usedAt: used.at });

  function end(digest: string): void {
    sessions.get(digest)?.stop.abort();
    sessions.delete(digest);
  }

  /** Ends the session when its time is over; else checks again then. */
  function endWhenOver(digest: string): void {
    const session = sessions.get(digest);
    if (session === undefined) return;
    const left = leftMs(session);
    if (left <= 0) end(digest);
    else clock.after(left, () => endWhenOver(digest));
  }

  function find({ secret, key }: SessionSecrets): { digest: string; session: Kept } | undefined {
    const digest = digestOf(secret);
    const session = sessions.get(digest);
    return session !== undefined && isEqual(session.key, key) ? { digest, session } : undefined;
  }

  return {
    begin({ browser, ...who }) {
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
        end(longestUnused);
      const about = { ...who, id, person, startedAt: started.at, ended: stop.signal };
      sessions.set(digest, { about, browser, key, stop, started, used: started });
      endWhenOver(digest);
      return { secret, key };
    },
    use(secrets) {
      const { digest = '', session } = find(secrets) ?? {};
      if (session === undefined) return undefined;
      if (leftMs(session) <= 0) {
        end(digest); // before its timer, on a machine that slept
        return undefined;
      }
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
    hasBrowser: (browsers) =>
      [...sessions.values()].some((session) => browsers.includes(session.browser) && leftMs(session) > 0),
    list: () => [...sessions.values()].map(viewOf).toReversed(),
    hasUsers: () => [...sessions.values()].some(({ about }) => about.user !== undefined),
    endWhere(isOver) {
      for (const [digest, session] of sessions) if (isOver(viewOf(session))) end(digest);
    },
  };
}

function personOf({ user }: Pick<Session, 'user'>): string {
  return user === undefined ? 'link' : `user ${user.name}`;
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
