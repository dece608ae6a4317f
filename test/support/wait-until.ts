// Waits for a state that no event announces, such as a file that another process writes.

import { setTimeout as delay } from 'node:timers/promises';

/** This time is long, because a busy machine makes everything slow. */
const MAX_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 10;

/**
 * Resolves with the first value that is neither false nor undefined. Throws if there is none within a minute. A look that starts
 * a process needs a longer pause between two looks.
 */
export async function waitUntil<Value>(
  look: () => Value | Promise<Value>,
  pauseMs = LOOK_EVERY_MS,
): Promise<NonNullable<Value>> {
  const failure = new Error(`this has not become true: ${String(look)}`); // made here, so that its stack shows the caller
  const signal = AbortSignal.timeout(MAX_WAIT_MS);
  while (!signal.aborted) {
    const value = await look();
    if (value !== false && value !== null && value !== undefined) return value;
    await delay(pauseMs);
  }
  throw failure;
}
