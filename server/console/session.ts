// Who is signed in: in memory only, so a restart ends every session. A session is known by a random secret in a cookie, of
// which only the SHA-256 is kept here, and ends when its user logs out or nobody has used it for half a day.

import { hash, randomBytes } from 'node:crypto';

import type { Clock } from '../clock.ts';
import type { Role, UserView } from '../contract.ts';

/** Browsers know cookies by host and not by port; two gateways on one machine must not sign each other's people out. */
export function cookieName(port: number): string {
  return `counterfoil_session_${port}`;
}

const LONGEST_IDLE_MS = 12 * 60 * 60 * 1000;

export interface Session {
  /** As the log of acts names them. */
  readonly actor: string;
  readonly role: Role;
  /** Who signed in with a password; undefined for who came by a link. */
  readonly user: UserView | undefined;
  /** Aborted when it ends, however that comes about. */
  readonly ended: AbortSignal;
}

export interface Sessions {
  /** Returns the secret, which is not kept. */
  begin(who: Pick<Session, 'actor' | 'role' | 'user'>): string;
  /** The session of a secret, which is used by that. */
  use(secret: string): Session | undefined;
  end(secret: string): void;
  /** Whether anybody is in with a password. */
  hasUsers(): boolean;
  /** Ends those of which it is so. */
  endWhere(isOver: (session: Session) => boolean): void;
}

interface Kept extends Session {
  readonly stop: AbortController;
  /** By both clocks, because the monotonic one may stand still while the machine sleeps. */
  used: { readonly at: number; readonly monotonic: number };
}

export function openSessions(clock: Clock): Sessions {
  const sessions = new Map<string, Kept>();
  const digestOf = (secret: string): string => hash('sha256', secret, 'base64');
  const thisInstant = (): Kept['used'] => ({ at: clock.now(), monotonic: clock.monotonic() });
  const idleMs = ({ used }: Kept): number => Math.max(clock.now() - used.at, clock.monotonic() - used.monotonic);

  function end(digest: string): void {
    sessions.get(digest)?.stop.abort();
    sessions.delete(digest);
  }

  /** Looks again when it could next be so. */
  function endWhenIdle(digest: string): void {
    const session = sessions.get(digest);
    if (session === undefined) return;
    const leftMs = LONGEST_IDLE_MS - idleMs(session);
    if (leftMs <= 0) end(digest);
    else clock.after(leftMs, () => endWhenIdle(digest));
  }

  return {
    begin(who) {
      const secret = randomBytes(32).toString('base64url');
      const digest = digestOf(secret);
      const stop = new AbortController();
      sessions.set(digest, { ...who, stop, ended: stop.signal, used: thisInstant() });
      endWhenIdle(digest);
      return secret;
    },
    use(secret) {
      const digest = digestOf(secret);
      const session = sessions.get(digest);
      if (session === undefined) return undefined;
      if (idleMs(session) >= LONGEST_IDLE_MS) {
        end(digest); // before its timer, on a machine that slept
        return undefined;
      }
      session.used = thisInstant();
      return session;
    },
    end: (secret) => end(digestOf(secret)),
    hasUsers: () => [...sessions.values()].some(({ user }) => user !== undefined),
    endWhere(isOver) {
      for (const [digest, session] of sessions) if (isOver(session)) end(digest);
    },
  };
}
