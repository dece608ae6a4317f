// The one timer of a lane: wakes it at the earliest time that was asked for.

import type { Clock } from '../lib/clock.ts';

export interface WakeUp {
  /** Wakes at a monotonic time, unless an earlier one is set. Infinity sets nothing. */
  at(time: number): void;
  cancel(): void;
}

export function openWakeUp(clock: Clock, wake: () => void): WakeUp {
  let cancelTimer = (): void => {};
  let setFor = Infinity;

  function cancel(): void {
    cancelTimer();
    setFor = Infinity;
  }

  return {
    at(time) {
      if (time >= setFor) return;
      cancel();
      setFor = time;
      cancelTimer = clock.after(Math.max(0, time - clock.monotonic()), () => {
        setFor = Infinity;
        wake();
      });
    },
    cancel,
  };
}
