// Stores the state of a lane as soon as it changes, and its delivery rate every two seconds.

import { isSameCause } from '../cause.ts';
import type { Clock } from '../lib/clock.ts';
import type { LaneNote } from '../store/outbox/ledger.ts';

const EVERY_MS = 2000;

export interface LaneNotes {
  /** Call it whenever the state may have changed. */
  tell(now: Pick<LaneNote, 'state' | 'cause'>): void;
  /** Call it when a record has been delivered. */
  noteDelivery(): void;
  /** Stops the timer. `tell` can still store a new state. */
  close(): void;
}

/**
 * Opens the notes of a lane. `write` stores a note. `onChange` gets each new state. `onFault` gets the error of a failed write.
 */
export function openLaneNotes({
  clock,
  write,
  onChange,
  onFault,
}: {
  readonly clock: Clock;
  readonly write: (note: LaneNote) => Promise<void>;
  readonly onChange: (note: LaneNote) => void;
  readonly onFault: (error: unknown) => void;
}): LaneNotes {
  let noted: LaneNote | undefined;
  let notedAt = -Infinity;
  /** The newest state. The timer stores this state, and not the state from the time when the timer was set. */
  let latest: Pick<LaneNote, 'state' | 'cause'> | undefined;
  let isWritten = true;
  let deliveries = 0;
  let isClosed = false;
  let cancelNext: (() => void) | undefined;

  function look(isDue: boolean): void {
    if (latest === undefined) return;
    const { state, cause } = latest;
    const isChanged = noted?.state !== state || !isSameCause(noted.cause, cause);
    const elapsedMs = clock.monotonic() - notedAt;
    if (!isChanged && !isDue && elapsedMs < EVERY_MS) return lookLater();
    if (!isChanged && isWritten && deliveries === 0 && noted?.perSecond === 0) return;
    const perSecond = Number.isFinite(elapsedMs) && elapsedMs > 0 ? (deliveries * 1000) / elapsedMs : 0;
    const since = noted !== undefined && noted.state === state ? noted.since : clock.now();
    noted = { state, cause, since, perSecond };
    notedAt = clock.monotonic();
    deliveries = 0;
    if (isChanged) onChange(noted);
    isWritten = true;
    write(noted).catch((error: unknown) => {
      isWritten = false;
      onFault(error);
      lookLater();
    });
    cancelNext?.();
    cancelNext = undefined;
    lookLater();
  }

  /**
   * Sets the timer for the next note. When the timer fires, the note is stored even if the clock shows that less than two
   * seconds have passed.
   */
  function lookLater(): void {
    if (isClosed || cancelNext !== undefined) return;
    if (isWritten && deliveries === 0 && noted?.perSecond === 0) return;
    cancelNext = clock.after(Math.max(0, notedAt + EVERY_MS - clock.monotonic()), () => {
      cancelNext = undefined;
      look(true);
    });
  }

  return {
    tell({ state, cause }) {
      latest = { state, cause };
      look(false);
    },
    noteDelivery: () => void (deliveries += 1),
    close() {
      isClosed = true;
      cancelNext?.();
    },
  };
}
