// Time, passed in wherever something waits, so that a test can let a month pass at once. Waiting goes by the monotonic
// clock: the machine's own may be set back or ahead meanwhile.

export interface Clock {
  /** Epoch milliseconds: what is written down. */
  now(): number;
  /** Milliseconds that only ever grow: what is waited by. */
  monotonic(): number;
  /** Calls `work` after so many milliseconds, unless the function it returns is called before. */
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

/** Node's timers fire at once when they are longer than this. */
const MAX_TIMER_MS = 2 ** 31 - 1;
