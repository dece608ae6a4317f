// Runs comparisons in a comparer thread. The thread starts with the first changed resend, because most shops never have one.

import type { ComparerOperations } from './comparer.ts';
import type { RunComparisons } from './comparison-queue.ts';
import { startThread, type Thread } from './thread.ts';

const MEMORY_MIB = 256;

export interface Comparer {
  readonly run: RunComparisons;
  /** Ends the thread, if it was started. */
  close(): Promise<void>;
}

/**
 * Opens the comparer. Its thread starts later, with the first comparison. `onDeath` is called if the thread ends unexpectedly.
 */
export function openComparer(path: string, onDeath: (cause: Error) => void): Comparer {
  let starting: Promise<Thread<ComparerOperations>> | undefined;

  async function start(): Promise<Thread<ComparerOperations>> {
    try {
      const thread = await startThread<ComparerOperations>('comparer', { path }, MEMORY_MIB);
      thread.onDeath(onDeath);
      return thread;
    } catch (error) {
      starting = undefined; // so that the next resend tries to start the thread again
      throw error;
    }
  }

  return {
    async run(resends) {
      starting ??= start();
      const thread = await starting;
      // a body may be a part of a larger buffer, so copy the body only
      const copies = resends.map((resend) => ({ ...resend, body: new Uint8Array(resend.body) }));
      return thread.call(
        'compare',
        [copies],
        copies.map(({ body }) => body.buffer),
      );
    },
    async close() {
      const thread = await starting?.catch(() => undefined); // a thread that failed to start needs no closing
      await thread?.close();
    },
  };
}
