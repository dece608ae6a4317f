// The clock. It is passed to all code that waits, so that a test can advance it. Time-outs use the monotonic clock, because a
// person may set the machine's clock.

export interface Clock {
  /** Epoch milliseconds, for stored times. */
  now(): number;
  /** Monotonic milliseconds, for time-outs. */
  monotonic(): number;
  /** Calls `work` after this number of milliseconds. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}

export const machineClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, Math.min(ms, MAX_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};

/** The longest time that a Node timer can wait. With a longer time, Node would fire the timer immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;
