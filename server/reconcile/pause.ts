// Waiting that can be cut off, or cut short.

import type { Clock } from '../lib/clock.ts';

/** To whoever waits before asking once more: ask now, somebody wants to know. */
export const HURRY = 'hurry';

/** Resolves after so many milliseconds, or when `hurry` tells it to; rejects with the signal's reason when it says so before. */
export function pause(
  ms: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  hurry?: EventTarget,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const goOn = (): void => resolve();
  const cancel = clock.after(ms, goOn);
  const giveUp = (): void => reject(signal.reason as Error);
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  hurry?.addEventListener(HURRY, goOn);
  return promise.finally(() => {
    cancel();
    signal.removeEventListener('abort', giveUp);
    hurry?.removeEventListener(HURRY, goOn);
  });
}
