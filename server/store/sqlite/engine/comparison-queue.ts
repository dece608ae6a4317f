// Queues changed resends until they are compared with their originals. Small and large resends have a thread each, so that a
// small resend never waits half a second for a large resend. On each thread, the access keys of tills take turns and have a
// budget of time. So a till with costly resends delays only its own calls. Small comparisons go in batches.

import { GatewayError } from '../../../errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { KeptCall } from '../../records/content.ts';
import { refusalFor } from './fault.ts';

/** The share of the thread's time that one access key may use. */
const KEY_SHARE = 0.05;
/** Comparison time that a key may use before `KEY_SHARE` limits the key. */
const MAX_CREDIT_MS = 100;
/** Longest wait in the queue. It is shorter than the time after which an inactive connection is closed. */
const MAX_WAIT_MS = 30_000;
/** Longest wait for room in the queue. It is shorter than the request time-out of the call. */
const MAX_WAIT_FOR_ROOM_MS = 5000;
/** Maximum resends and bytes that may wait for one key. Beyond this limit, further calls of the key wait for room. */
const MAX_OF_KEY = { resends: 64, bytes: 8 * 1024 * 1024 };
/**
 * Maximum bytes that may wait for all keys together. Beyond this limit, calls of the key with the most waiting bytes are
 * refused.
 */
const MAX_BYTES = 64 * 1024 * 1024;
/** A resend and its original are small if each is at most this large. Comparing them takes a few milliseconds. */
const MAX_SMALL_BYTES = 16 * 1024;
const MAX_BATCH = { resends: 64, bytes: 128 * 1024 };
/** Maximum calls of a key that are admitted together when its queue has room again but is not empty. */
const MAX_LET_IN = 8;

export interface ComparisonQueue {
  /** Lists where a resend differs from its original. Rejects with `store_busy`, or with the error of the thread. */
  compare(keyId: number, resend: Resend): Promise<readonly string[]>;
  /**
   * Call it before reading the body of a call. Returns undefined while the queue has room for the key. Otherwise resolves when
   * there is room, or rejects with `store_busy`.
   */
  waitForRoom(keyId: number): Promise<void> | undefined;
  /** Rejects all waiting and running comparisons. */
  close(): void;
}

interface WaitingResend {
  readonly resend: Resend;
  readonly resolve: (differences: readonly string[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Turn {
  readonly key: KeyQueue;
  readonly entry: WaitingResend;
}

interface KeyQueue {
  readonly id: number;
  readonly waiting: WaitingResend[];
  bytes: number;
  /** The monotonic time at which the key's used comparison time is within its share again. */
  earnedAt: number;
  /** Calls that wait for room. */
  readonly calls: (() => void)[];
}

/** Compares resends in order until the time for a batch is used up. Always compares the first resend. */
export type RunComparisons = (resends: readonly Resend[]) => Promise<readonly Comparison[]>;

/** Makes one queue for small resends and one for large resends. A key has a separate budget in each queue. */
export function openComparisonsBySize(
  { small, large }: { readonly small: RunComparisons; readonly large: RunComparisons },
  clock: Clock,
): ComparisonQueue {
  const ofSmall = openComparisonQueue(small, clock);
  const ofLarge = openComparisonQueue(large, clock);
  return {
    compare(keyId, resend) {
      const isSmall = Math.max(resend.body.byteLength, resend.originalBytes) <= MAX_SMALL_BYTES;
      return (isSmall ? ofSmall : ofLarge).compare(keyId, resend);
    },
    /** Waits for both queues, because the size of a call is unknown before its body is read. */
    waitForRoom(keyId) {
      const small = ofSmall.waitForRoom(keyId);
      const large = ofLarge.waitForRoom(keyId);
      return small === undefined ? large : Promise.all([small, large]).then(() => undefined);
    },
    close() {
      ofSmall.close();
      ofLarge.close();
    },
  };
}

export function openComparisonQueue(run: RunComparisons, clock: Clock): ComparisonQueue {
  /** Keys in the order of their turns: the key that was served last is at the end. */
  const keys = new Map<number, KeyQueue>();
  let bytes = 0;
  let isRunning = false;
  let isClosed = false;
  let cancelTimer = (): void => {};

  const isFull = (key: KeyQueue): boolean => key.waiting.length >= MAX_OF_KEY.resends || key.bytes >= MAX_OF_KEY.bytes;
  /** When a key may use the thread again. */
  const dueAt = (key: KeyQueue): number => key.earnedAt - MAX_CREDIT_MS / KEY_SHARE;

  function queueOf(keyId: number): KeyQueue {
    const key = keys.get(keyId) ?? { id: keyId, waiting: [], bytes: 0, earnedAt: 0, calls: [] };
    keys.set(keyId, key);
    return key;
  }

  function forget(key: KeyQueue, entry: WaitingResend): boolean {
    const at = key.waiting.indexOf(entry);
    if (at === -1) return false;
    key.waiting.splice(at, 1);
    key.bytes -= entry.resend.body.byteLength;
    bytes -= entry.resend.body.byteLength;
    if (!isFull(key))
      for (const letIn of key.calls.splice(0, key.waiting.length === 0 ? Infinity : MAX_LET_IN)) letIn();
    return true;
  }

  /**
   * Makes room for `more` bytes of `key`. For this, refuses the newest calls of the key with the most waiting bytes. If that is
   * `key` itself, refuses nothing more and returns false.
   */
  function makeRoom(key: KeyQueue, more: number): boolean {
    while (bytes + more > MAX_BYTES) {
      let largest = key;
      for (const each of keys.values()) if (each.bytes > largest.bytes) largest = each;
      const newest = largest.waiting.at(-1);
      if (newest === undefined || largest.bytes <= key.bytes + more) return false;
      if (forget(largest, newest)) newest.reject(busy());
    }
    return true;
  }

  /**
   * Selects the first resend of each key that is due, then the second of each, and so on. Resends stay in their queues until
   * they are compared.
   */
  function takeBatch(now: number): Turn[] {
    const due = [...keys.values()].filter((key) => key.waiting.length > 0 && dueAt(key) <= now);
    const batch: Turn[] = [];
    let batchBytes = 0;
    for (let i = 0; i < MAX_BATCH.resends; i++) {
      for (const key of due) {
        const entry = key.waiting[i];
        if (entry === undefined) continue;
        batchBytes += entry.resend.body.byteLength;
        if (batch.length > 0 && (batch.length === MAX_BATCH.resends || batchBytes > MAX_BATCH.bytes)) return batch;
        batch.push({ key, entry });
      }
    }
    return batch;
  }

  function runNext(): void {
    if (isRunning || isClosed) return;
    cancelTimer();
    const now = clock.monotonic();
    const batch = takeBatch(now);
    if (batch.length > 0) return void runBatch(batch, now);
    const busyKeys = [...keys.values()].filter(({ waiting }) => waiting.length > 0);
    if (busyKeys.length === 0) return;
    cancelTimer = clock.after(Math.max(0, Math.min(...busyKeys.map(dueAt)) - now), runNext);
  }

  async function runBatch(batch: readonly Turn[], startedAt: number): Promise<void> {
    isRunning = true;
    try {
      const results = await run(batch.map(({ entry }) => entry.resend));
      for (const [i, comparison] of results.entries())
        if (batch[i] !== undefined) settle(batch[i], comparison, startedAt);
    } catch (error) {
      for (const { key, entry } of batch) if (forget(key, entry)) entry.reject(refusalFor(error));
    }
    isRunning = false;
    runNext();
  }

  function settle({ key, entry }: Turn, comparison: Comparison, startedAt: number): void {
    key.earnedAt = Math.max(key.earnedAt, startedAt) + comparison.elapsedMs / KEY_SHARE;
    keys.delete(key.id);
    keys.set(key.id, key);
    if (!forget(key, entry)) return; // already refused, for example because it waited too long
    if (comparison.kind === 'compared') entry.resolve(comparison.differences);
    else entry.reject(refusalFor(Object.assign(new Error(comparison.message), { code: comparison.code })));
  }

  return {
    compare(keyId, resend) {
      if (isClosed) return Promise.reject(stopping());
      const key = queueOf(keyId);
      if (!makeRoom(key, resend.body.byteLength)) return Promise.reject(busy());
      return new Promise((resolve, reject) => {
        const cancel = clock.after(MAX_WAIT_MS, () => {
          if (forget(key, entry)) reject(busy());
        });
        const entry: WaitingResend = {
          resend,
          resolve(differences) {
            cancel();
            resolve(differences);
          },
          reject(error) {
            cancel();
            reject(error);
          },
        };
        key.waiting.push(entry);
        key.bytes += resend.body.byteLength;
        bytes += resend.body.byteLength;
        runNext();
      });
    },

    waitForRoom(keyId) {
      const key = keys.get(keyId);
      if (key === undefined || !isFull(key)) return undefined;
      return new Promise((resolve, reject) => {
        const cancel = clock.after(MAX_WAIT_FOR_ROOM_MS, () => {
          key.calls.splice(key.calls.indexOf(letIn), 1);
          reject(busy());
        });
        const letIn = (): void => {
          cancel();
          resolve();
        };
        key.calls.push(letIn);
      });
    },

    close() {
      isClosed = true;
      cancelTimer();
      for (const key of keys.values())
        for (const entry of key.waiting.slice()) if (forget(key, entry)) entry.reject(stopping());
    },
  };
}

function busy(): GatewayError {
  return new GatewayError('store_busy', {
    detail: 'Too many changed resends wait to be compared; send this call again.',
    retryAfterSeconds: 10,
  });
}

function stopping(): GatewayError {
  return new GatewayError('store_busy', {
    detail: 'The gateway is stopping; send this call again.',
    retryAfterSeconds: 1,
  });
}

/** `failed` means that the original of this comparison is damaged or unreadable. Other comparisons may succeed. */
export type Comparison = { readonly elapsedMs: number } & (
  | { readonly kind: 'compared'; readonly differences: readonly string[] }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
);

/** A call that repeats a stored id with other bytes. */
export interface Resend extends KeptCall {
  readonly originalId: number;
  readonly originalBytes: number;
}
