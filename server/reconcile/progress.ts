// How far a check has come, noted for people and for whoever goes on with it; and whose turn it is to ask an upstream, so that
// only one process does at a time.

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
  /** Who asks, as told from other processes. */
  readonly holder: string;
  /** Cuts the check off. */
  readonly signal: AbortSignal;
  /** The upstream has been silent for a while; told once for each day. */
  readonly onLongSilence: (cause: Cause) => Promise<void>;
}

export interface Progress extends Pick<AskParts, 'takeTurn' | 'onSilence' | 'onAnswer'> {
  /** The day that is checked next. */
  goTo(date: string): Promise<void>;
}

/** How long a process may ask before it says again that it does: longer than an answer takes. And how often one that waits looks. */
const TURN_MS = 120_000;
const LOOK_MS = 1000;
/** An upstream that has been silent for so long is said to be. */
const SILENT_AFTER_MS = 15_000;

export function openProgress(check: OpenCheck, parts: ProgressParts): Progress {
  const { store, clock, holder, onLongSilence } = parts;
  let next = check.next;
  let spent = { requests: 0, bytes: 0 };
  let silence: { readonly at: number; readonly cause: Cause; readonly isTold: boolean } | undefined;
  /** Monotonic. */
  let turnEndsAt = -Infinity;

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
    async takeTurn() {
      while (clock.monotonic() > turnEndsAt - TURN_MS / 2) {
        if (await store.checks.takeTurn(check.journalId, holder, clock.now() + TURN_MS)) {
          turnEndsAt = clock.monotonic() + TURN_MS;
        } else {
          await pause(LOOK_MS, parts);
        }
      }
    },
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
