// Stores what a lane knows about each end point of the earlier interface. After a failed write, only the newest note of an end
// point is written again, because it replaces all older ones.

import type { Clock } from '../lib/clock.ts';
import type { EndPointNote } from '../store/outbox/ledger.ts';

/** Delay before a failed write is repeated. */
const RETRY_MS = 1000;

export interface EndPointNotes {
  keep(note: EndPointNote): void;
  /** Call it when the lane gets another upstream. Drops notes about the old upstream that could not be written. */
  reset(): void;
  /** Stops retrying failed writes. */
  close(): void;
}

export function openEndPointNotes({
  write,
  mayRetry,
  clock,
  onFault,
}: {
  readonly write: (note: EndPointNote) => Promise<void>;
  readonly mayRetry: () => boolean;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}): EndPointNotes {
  const unwritten = new Map<string, EndPointNote>();
  let isClosed = false;

  async function keep(note: EndPointNote): Promise<void> {
    const name = `${note.version}/${note.resource}`;
    const isNewest = (): boolean => unwritten.get(name) === note;
    unwritten.set(name, note);
    try {
      await write(note);
      if (isNewest()) unwritten.delete(name);
    } catch (error) {
      onFault(error);
      clock.after(RETRY_MS, () => void (isNewest() && !isClosed && mayRetry() && keep(note)));
    }
  }

  return {
    keep: (note) => void keep(note),
    reset: () => unwritten.clear(),
    close() {
      isClosed = true;
    },
  };
}
