// Collects the outcomes of records, so that many outcomes share one transaction, and keeps them until they are on disk.

import type { Clock } from '../lib/clock.ts';
import type { Settlement } from '../store/outbox/ledger.ts';

/** Time in which outcomes are collected before they are written. */
const GATHER_MS = 20;
const MAX_IN_GROUP = 1024;
const RETRY_MS = 1000;

export interface Settler {
  add(settlement: Settlement): void;
  /** Number of outcomes that are not on disk yet. After a crash, the records with these outcomes are sent again. */
  pending(): number;
  /** Writes all outcomes now. Resolves to true if they are on disk. Otherwise the write is retried later. */
  flush(): Promise<boolean>;
  /** Writes all outcomes for the last time. Resolves when they are on disk, or when the write has failed. */
  close(): Promise<void>;
}

/** `onSettled` gets the outcomes that are on disk. `onFault` gets the error of a failed `settle`, which is retried. */
export function openSettler({
  settle,
  clock,
  onSettled,
  onFault,
}: {
  readonly settle: (settlements: readonly Settlement[]) => Promise<void>;
  readonly clock: Clock;
  readonly onSettled: (settlements: readonly Settlement[]) => void;
  readonly onFault: (error: unknown) => void;
}): Settler {
  let gathered: Settlement[] = [];
  let pending = 0;
  /** Number of all outcomes that were added. `settled` says how many of them are on disk. */
  let added = 0;
  let settled = 0;
  let isClosed = false;
  let cancelWrite: (() => void) | undefined;
  let written = Promise.resolve();

  async function writeNext(): Promise<void> {
    const group = gathered.slice(0, MAX_IN_GROUP);
    if (group.length === 0) return;
    gathered = gathered.slice(MAX_IN_GROUP);
    try {
      await settle(group);
      pending -= group.length;
      settled += group.length;
      onSettled(group);
    } catch (error) {
      gathered = [...group, ...gathered];
      onFault(error);
      cancelWrite?.();
      cancelWrite = undefined;
      return writeAfter(RETRY_MS);
    }
    if (gathered.length > 0) return writeNext();
  }

  function writeAfter(ms: number): void {
    if (cancelWrite !== undefined || isClosed) return;
    cancelWrite = clock.after(ms, () => {
      cancelWrite = undefined;
      written = written.then(writeNext);
    });
  }

  return {
    add(settlement) {
      gathered.push(settlement);
      pending += 1;
      added += 1;
      writeAfter(GATHER_MS);
    },
    pending: () => pending,
    async flush() {
      const upTo = added;
      if (settled < upTo) {
        cancelWrite?.();
        cancelWrite = undefined;
        await (written = written.then(writeNext));
      }
      return settled >= upTo;
    },
    close() {
      isClosed = true;
      cancelWrite?.();
      return (written = written.then(writeNext));
    },
  };
}
