// A delay that the caller can abort or shorten.

import type { Clock } from '../lib/clock.ts';

/** The event that ends a delay early, for example because a person has requested a check. */
export const HURRY = 'hurry';

/** Resolves after `ms`, or when `hurry` fires. Rejects with the signal's reason when the signal aborts first. */
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
