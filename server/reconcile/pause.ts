// Waiting that can be cut off.

import type { Clock } from '../clock.ts';

/** Resolves after so many milliseconds; rejects with the signal's reason when it says so before. */
export function pause(
  ms: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const giveUp = (): void => {
    cancel();
    reject(signal.reason as Error);
  };
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', giveUp));
}
