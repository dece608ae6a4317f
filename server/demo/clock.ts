// The time that the demo's parts go by: they take it as an argument, so that a test can let a month pass at once.

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `act` once, after `ms`. Returns what cancels it, which may be called at any time. */
  setTimer(ms: number, act: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, act) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
