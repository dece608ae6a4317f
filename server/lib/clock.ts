// The clock, injected wherever code waits, so that a test can advance it. Time-outs use the monotonic clock, because the machine's
// clock may be set.

export interface Clock {
  /** Epoch milliseconds, for stored times. */
  now(): number;
  /** Monotonic milliseconds, for time-outs. */
  monotonic(): number;
  /** Calls `work` after this many milliseconds. The returned function cancels it. */
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

/** Maximum of Node's timers: a longer one fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
