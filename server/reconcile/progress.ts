// Stores the progress of a check, for people and for the process that resumes it. Also takes the turn to query an upstream,
// because only one process at a time may query.

import { isSameCause } from '../cause.ts';
import type { Cause } from '../contract/codes.ts';
import type { Clock } from '../lib/clock.ts';
import type { OpenCheck } from '../store/checks/ledger.ts';
import type { Store } from '../store/store.ts';
import type { AskParts } from './ask.ts';
import { pause } from './pause.ts';

export interface ProgressParts {
  readonly store: Store;
  readonly clock: Clock;
  /** The name under which this process takes turns. No other process may use it at the same time. */
  readonly holder: string;
  /** Aborts the check. */
  readonly signal: AbortSignal;
  /** Called at most once per store day, when the upstream has not answered for `SILENT_AFTER_MS`. */
  readonly onLongSilence: (cause: Cause) => Promise<void>;
}

export interface Progress extends Pick<AskParts, 'takeTurn' | 'onSilence' | 'onAnswer'> {
  /** Stores which day is checked next. */
  goTo(date: string): Promise<void>;
}

/** How long a turn lasts unless it is renewed. This is longer than the time-out of an answer. */
const TURN_MS = 120_000;
/** Polling interval while another process has the turn. */
const POLL_MS = 1000;
/** How long an upstream must be silent before `onLongSilence` is called. */
const SILENT_AFTER_MS = 15_000;

/** Returns a function that resolves when it is the turn of this process to query the upstream of a journal. */
export function openTurn(journalId: number, parts: Omit<ProgressParts, 'onLongSilence'>): AskParts['takeTurn'] {
  const { store, clock, holder } = parts;
  /** Monotonic. */
  let turnEndsAt = -Infinity;
  return async () => {
    while (clock.monotonic() > turnEndsAt - TURN_MS / 2) {
      if (await store.checks.takeTurn(journalId, holder, clock.now() + TURN_MS))
        turnEndsAt = clock.monotonic() + TURN_MS;
      else await pause(POLL_MS, parts);
    }
  };
}

export function openProgress(check: OpenCheck, parts: ProgressParts): Progress {
  const { store, clock, onLongSilence } = parts;
  let next = check.next;
  let spent = { requests: 0, bytes: 0 };
  let silence: { readonly at: number; readonly cause: Cause; readonly isTold: boolean } | undefined;

  async function note(): Promise<void> {
    const since = spent;
    spent = { requests: 0, bytes: 0 };
    await store.checks.noteProgress(check.id, {
      next,
      stalledAt: silence?.at ?? null,
      cause: silence?.cause ?? null,
      ...since,
    });
  }

  return {
    takeTurn: openTurn(check.journalId, parts),
    async onSilence(cause) {
      const before = silence;
      silence = cause && { at: before?.at ?? clock.now(), cause, isTold: before?.isTold ?? false };
      if (!isSameCause(before?.cause ?? null, cause ?? null)) await note();
      if (silence === undefined || silence.isTold || clock.now() - silence.at < SILENT_AFTER_MS) return;
      silence = { ...silence, isTold: true };
      await onLongSilence(silence.cause);
    },
    onAnswer(bytes) {
      spent.requests += 1;
      spent.bytes += bytes;
    },
    async goTo(date) {
      next = date;
      if (silence !== undefined) silence = { ...silence, isTold: false };
      await note();
    },
  };
}
