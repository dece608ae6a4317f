// One query at a time per journal (specification 8). A second one waits its turn for a moment, then is refused.

import { GatewayError } from '../errors.ts';

const LONGEST_WAIT_MS = 2000;
const MOST_WAITING = 64;

export interface QueryGate {
  /** Runs `query` when no other of this journal runs. Rejects with `query_busy` after two seconds of waiting, or at once when many wait. */
  run<T>(journalId: number, query: () => Promise<T>): Promise<T>;
}

export function openQueryGate(): QueryGate {
  /** Journals with a query underway, and who waits for each in turn. */
  const waiting = new Map<number, (() => void)[]>();

  function enter(journalId: number): Promise<void> {
    const queue = waiting.get(journalId);
    if (queue === undefined) {
      waiting.set(journalId, []);
      return Promise.resolve();
    }
    if (queue.length >= MOST_WAITING) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(turn), 1);
        reject(busy());
      }, LONGEST_WAIT_MS);
      queue.push(turn);
    });
  }

  function leave(journalId: number): void {
    const next = waiting.get(journalId)?.shift();
    if (next === undefined) waiting.delete(journalId);
    else next();
  }

  return {
    async run(journalId, query) {
      await enter(journalId);
      try {
        return await query();
      } finally {
        leave(journalId);
      }
    },
  };
}

function busy(): GatewayError {
  return new GatewayError('query_busy', {
    detail: 'Another query is running; send the next one after its answer.',
    retryAfterSeconds: 1,
  });
}
