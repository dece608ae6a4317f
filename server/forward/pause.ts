// The pause that the upstream asked a lane for: 429, or 503 with Retry-After. The whole lane waits, because the upstream limits all
// our calls together. No effects; the caller passes the time, which is monotonic.

import type { Cause } from '../contract/codes.ts';
import { type BackOff, backOffMs } from './back-off.ts';

/** Bounds of a pause, whether the upstream named its length or not. An upstream that asks for more is called again after this. */
const MIN_PAUSE_MS = 1000;
export const MAX_PAUSE_MS = 24 * 60 * 60_000;
/** Without Retry-After. */
const UNNAMED: BackOff = { firstMs: 1000, maxMs: 60_000 };

interface Request {
  readonly until: number;
  /** When the upstream last asked. */
  readonly askedAt: number;
  /** Pauses in a row. */
  readonly times: number;
  readonly cause: Cause;
}

export interface Pause {
  /** The upstream asked for a pause. A shorter one does not shorten a pause that runs. Returns when it ends. */
  note(cause: Cause, retryAfterMs: number | undefined, now: number): number;
  /** A record passed. */
  notePass(sentAt: number): void;
  /** The last request, also after the pause, until a record that was sent since passes. */
  last(): Pick<Request, 'until' | 'askedAt' | 'cause'> | undefined;
  /** Nothing is sent before this time, except a trial; -Infinity without a pause. */
  until(): number;
  /** A person asked to try now: while the pause runs, one record may go. */
  tryNow(now: number): void;
  /** Whether one record may go before `until`. True once per `tryNow`. */
  takeTrial(): boolean;
  /**
   * Whether a retry goes before the others when only one record may go: after the first pause, the third, and so on. After the
   * others, another record goes first, which shows whether one record alone draws 429.
   */
  isRetryNext(): boolean;
}

/** `random` is from 0 to 1. */
export function openPause(random: () => number): Pause {
  let last: Request | undefined;
  let isTrialWanted = false;
  let isRetryNext = false;

  return {
    note(cause, retryAfterMs, now) {
      // Records that were in flight together draw the same request; it counts once.
      const isSame = last !== undefined && now < last.until;
      const times = (last?.times ?? 0) + (isSame ? 0 : 1);
      const wanted = retryAfterMs ?? backOffMs(UNNAMED, times - 1, random());
      const asked = now + Math.min(Math.max(wanted, MIN_PAUSE_MS), MAX_PAUSE_MS);
      const until = Math.max(asked, last?.until ?? 0);
      if (!isSame) isRetryNext = !isRetryNext;
      last = { cause, times, until, askedAt: now };
      return until;
    },
    notePass(sentAt) {
      // A record that was sent before the upstream asked for the pause does not end it. One that was sent since is a trial.
      if (last !== undefined && sentAt > last.askedAt) last = undefined;
      if (last === undefined) isTrialWanted = false;
      isRetryNext = false;
    },
    last: () => last,
    until: () => last?.until ?? -Infinity,
    tryNow(now) {
      isTrialWanted = last !== undefined && now < last.until;
    },
    takeTrial() {
      const isWanted = isTrialWanted;
      isTrialWanted = false;
      return isWanted;
    },
    isRetryNext: () => isRetryNext,
  };
}
