// The pause that the upstream asked a lane for: 429, or 503 with Retry-After. The whole lane waits, because the upstream limits
// all our calls together. No effects; the caller passes the time, which is monotonic.

import type { Cause } from '../contract/codes.ts';
import { type BackOff, backOffMs } from './back-off.ts';

/**
 * Minimum and maximum of a pause, with or without Retry-After. If the upstream asks for a longer pause, the maximum applies.
 */
const MIN_PAUSE_MS = 1000;
export const MAX_PAUSE_MS = 24 * 60 * 60_000;
/** The back-off for a pause without Retry-After. */
const UNNAMED: BackOff = { firstMs: 1000, maxMs: 60_000 };

interface Request {
  readonly until: number;
  /** Time of the upstream's last request for a pause. */
  readonly askedAt: number;
  /** Number of consecutive pauses. */
  readonly times: number;
  readonly cause: Cause;
}

export interface Pause {
  /**
   * Call it when the upstream asks for a pause. The call can extend a running pause but not shorten it. It returns the time at
   * which the pause ends.
   */
  note(cause: Cause, retryAfterMs: number | undefined, now: number): number;
  /**
   * Call it when the upstream has accepted or rejected a record. If the record was sent after the request for the pause, the
   * pause ends.
   */
  notePass(sentAt: number): void;
  /**
   * The last request for a pause; undefined if there is none. Kept even after the pause, until the upstream accepts or rejects
   * a record that was sent after the request.
   */
  last(): Pick<Request, 'until' | 'askedAt' | 'cause'> | undefined;
  /** The end of the pause. Before it, nothing is sent except a trial (`takeTrial`). -Infinity without a pause. */
  until(): number;
  /** Call it when a person asks to try now: one record may be sent although the pause runs. */
  tryNow(now: number): void;
  /** Whether one record (the trial) may be sent before the pause ends. True once per `tryNow`. */
  takeTrial(): boolean;
  /**
   * If only one record may be in flight: whether that record should be a retry. True after the first consecutive pause, the
   * third, the fifth, and so on. After the second, the fourth, and so on, a record that was not tried yet is sent first. Its
   * answer shows whether only the retry gets 429.
   */
  isRetryNext(): boolean;
}

/** Opens the pause of a lane. `random` returns a number from 0 to 1. */
export function openPause(random: () => number): Pause {
  let last: Request | undefined;
  let isTrialWanted = false;
  let isRetryNext = false;

  return {
    note(cause, retryAfterMs, now) {
      // Several records in flight get the same request to pause; it counts once.
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
      // Only a record that was sent after the request for the pause ends it. While the pause runs, only trials are sent.
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
