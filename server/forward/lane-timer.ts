// The only timer of a lane. It wakes the lane at the earliest requested time.

import type { Clock } from '../lib/clock.ts';

export interface LaneTimer {
  /** Sets the timer to a monotonic time, unless it is already set to an earlier time. Infinity sets nothing. */
  at(time: number): void;
  cancel(): void;
}

export function openLaneTimer(clock: Clock, wake: () => void): LaneTimer {
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
