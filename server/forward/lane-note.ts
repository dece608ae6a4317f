// What is told of a lane: its state as soon as it changes, and how fast it delivers every few seconds.

import { isSameCause } from '../cause.ts';
import type { Clock } from '../clock.ts';
import type { LaneNote } from '../store/lane.ts';

const EVERY_MS = 2000;

export interface LaneNotes {
  /** To be called whenever the state may have changed. */
  tell(now: Pick<LaneNote, 'state' | 'cause'>): void;
  /** A record was delivered. */
  noteDelivery(): void;
  /** Says nothing more by itself. */
  close(): void;
}

/** `write` is told what to keep, `onChange` what is new; what `write` rejects with goes to `onFault`. */
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
  let isWritten = true;
  let deliveries = 0;
  let isClosed = false;
  let cancelNext = (): void => {};

  const tell = ({ state, cause }: Pick<LaneNote, 'state' | 'cause'>): void => {
    const isChanged = noted?.state !== state || !isSameCause(noted.cause, cause);
    const elapsedMs = clock.monotonic() - notedAt;
    if (!isChanged && (elapsedMs < EVERY_MS || (isWritten && deliveries === 0 && noted?.perSecond === 0))) return;
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
      tellLater({ state, cause });
    });
    cancelNext();
    if (perSecond > 0) tellLater({ state, cause });
  };

  /** When nothing else happens. */
  const tellLater = (what: Pick<LaneNote, 'state' | 'cause'>): void => {
    cancelNext();
    if (!isClosed) cancelNext = clock.after(EVERY_MS, () => tell(what));
  };

  return {
    tell,
    noteDelivery: () => void (deliveries += 1),
    close() {
      isClosed = true;
      cancelNext();
    },
  };
}
