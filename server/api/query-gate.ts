// Runs one query at a time per journal (docs/interface.md#limits). A further query waits for at most two seconds, and is then
// refused. The waiting keys take turns, so a key with many queries does not block other keys of its journal.

import { GatewayError } from '../errors.ts';

const MAX_WAIT_MS = 2000;
const MAX_WAITING_PER_KEY = 64;

/** The journal and the key that a query belongs to. */
interface Asker {
  readonly journalId: number;
  readonly keyId: number;
}

export interface QueryGate {
  /**
   * Waits until no other query of this journal runs, then runs `query`. Rejects with `query_busy` after two seconds. If 64
   * queries of this key already wait, rejects immediately.
   */
  run<T>(by: Asker, query: () => Promise<T>): Promise<T>;
}

export function openQueryGate(): QueryGate {
  /** The waiting queries by journal and key. The key that was served last is at the end. */
  const journals = new Map<number, Map<number, (() => void)[]>>();

  function enter({ journalId, keyId }: Asker): Promise<void> {
    const keys = journals.get(journalId);
    if (keys === undefined) {
      journals.set(journalId, new Map());
      return Promise.resolve();
    }
    const queue = keys.get(keyId) ?? [];
    if (queue.length >= MAX_WAITING_PER_KEY) return Promise.reject(busy());
    keys.set(keyId, queue);
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(turn), 1);
        reject(busy());
      }, MAX_WAIT_MS);
      queue.push(turn);
    });
  }

  function leave({ journalId, keyId }: Asker): void {
    const keys = journals.get(journalId) ?? new Map<number, (() => void)[]>();
    const ownQueue = keys.get(keyId) ?? [];
    keys.delete(keyId);
    keys.set(keyId, ownQueue);
    for (const [each, queue] of keys) {
      const next = queue.shift();
      if (next !== undefined) return next();
      keys.delete(each);
    }
    journals.delete(journalId);
  }

  return {
    async run(by, query) {
      await enter(by);
      try {
        return await query();
      } finally {
        leave(by);
      }
    },
  };
}

function busy(): GatewayError {
  return new GatewayError('query_busy', {
    detail: 'Another query of this journal is running. Send the next one after its answer.',
    retryAfterSeconds: 1,
  });
}
