// Collects arrivals in groups. All arrivals that come while one group is being written belong to the next group, which is one
// transaction with one sync. The queue is limited in number and bytes. If it is full, an arrival is refused immediately.

import { GatewayError } from '../../../errors.ts';
import type { Arrival } from '../../records/ledger.ts';
import { type AppendResult, packArrivals, type PackedArrivals, type PackedResults, unpackResult } from './transfer.ts';

/** Limits of the queue, and of one transaction. */
const MAX_WAITING = { records: 10_000, bytes: 32 * 1024 * 1024 };
const MAX_IN_GROUP = { records: 256, bytes: 4 * 1024 * 1024 };

interface Waiting {
  readonly arrival: Arrival;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommit {
  /**
   * Resolves when the arrival is on disk and synced. Otherwise rejects with `store_busy` or with the error of `commit`, and
   * keeps nothing of the arrival.
   */
  append(arrival: Arrival): Promise<AppendResult>;
  /** Number of records that were not sent to the writer yet. */
  waiting(): number;
  /** Number of records that are not on disk yet: in the queue or with the writer. */
  unanswered(): number;
  /** Resolves when no record waits and none is being written. */
  drained(): Promise<void>;
}

export function openGroupCommit(commit: (group: PackedArrivals) => Promise<PackedResults>): GroupCommit {
  let queue: Waiting[] = [];
  let queuedBytes = 0;
  let atWriter = 0;
  /** True while a group is scheduled or being written. */
  let isBusy = false;
  let drainListeners: (() => void)[] = [];

  /**
   * Schedules the next group for the end of this turn of the event loop. So the group has all calls that were read in this
   * turn.
   */
  function schedule(): void {
    if (isBusy || queue.length === 0) return;
    isBusy = true;
    setImmediate(() => void commitNext());
  }

  async function commitNext(): Promise<void> {
    const group = takeGroup();
    atWriter = group.length;
    try {
      const results = await commit(packArrivals(group.map(({ arrival }) => arrival)));
      group.forEach(({ resolve }, i) => resolve(unpackResult(results, i)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    atWriter = 0;
    isBusy = false;
    schedule();
    if (isBusy) return;
    for (const listener of drainListeners) listener();
    drainListeners = [];
  }

  function takeGroup(): Waiting[] {
    let bytes = 0;
    let size = 0;
    for (const { arrival } of queue) {
      bytes += arrival.body.byteLength;
      if (size > 0 && (size === MAX_IN_GROUP.records || bytes > MAX_IN_GROUP.bytes)) break;
      queuedBytes -= arrival.body.byteLength;
      size += 1;
    }
    const group = queue.slice(0, size);
    queue = queue.slice(size);
    return group;
  }

  return {
    append(arrival) {
      if (queue.length >= MAX_WAITING.records || queuedBytes + arrival.body.byteLength > MAX_WAITING.bytes) {
        return Promise.reject(
          new GatewayError('store_busy', {
            detail: 'Calls arrive faster than the disk can write; send this call again.',
            retryAfterSeconds: 1,
          }),
        );
      }
      return new Promise((resolve, reject) => {
        queue.push({ arrival, resolve, reject });
        queuedBytes += arrival.body.byteLength;
        schedule();
      });
    },
    waiting: () => queue.length,
    unanswered: () => queue.length + atWriter,
    drained: () => (isBusy ? new Promise((resolve) => drainListeners.push(resolve)) : Promise.resolve()),
  };
}
