// Reads the amounts of old records after somebody set a rule. It works in slices while the gateway runs. If the gateway stops,
// it continues after the next start.

import type { Clock } from './lib/clock.ts';
import type { AmountLedger } from './store/amounts/ledger.ts';
import type { Store } from './store/store.ts';

/** Pause between two slices, so that calls of tills can be stored. A slice takes about half of this time. */
export const SLICE_PAUSE_MS = 20;
/** Delay before a retry after the store failed. */
const RETRY_MS = 60_000;

export function openAmountFiller(parts: {
  readonly store: { readonly amounts: Pick<AmountLedger, 'fillSlice'> } & Pick<Store, 'watch'>;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}): { close(): void } {
  const { store, clock, onFault } = parts;
  let isClosed = false;
  let isRunning = false;
  /** Whether somebody may have set a rule since the last slice began. */
  let isAsked = false;
  let callOff = (): void => {};

  function wake(): void {
    isAsked = true;
    if (!isRunning) step();
  }

  function step(): void {
    if (isClosed) return;
    isRunning = true;
    isAsked = false;
    void store.amounts
      .fillSlice()
      .then((hasMore) => (hasMore || isAsked ? SLICE_PAUSE_MS : undefined))
      .catch((error: unknown) => {
        onFault(error);
        return RETRY_MS;
      })
      .then((ms) => {
        isRunning = ms !== undefined;
        if (ms !== undefined && !isClosed) callOff = clock.after(ms, step);
      });
  }

  store.watch({ setupChanged: wake });
  wake();
  return {
    close() {
      isClosed = true;
      callOff();
    },
  };
}
