// Time that passes only when a test says so, and only while nothing real is underway: a day of waiting takes as long as
// the work in it.

import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../server/clock.ts';

export interface VirtualTime extends Clock {
  /** Counts a promise as work underway. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Lets so many milliseconds pass, timer by timer, each with all the work that follows from it. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until it is so. Throws when it is not so after `mostMs`. */
  passUntil(isSo: () => boolean, mostMs: number): Promise<void>;
  /** The machine's clock is set; what is waited by goes on as before. */
  setWallClock(epochMs: number): void;
}

export function startVirtualTime(epochMs = Date.UTC(2026, 10, 20, 12)): VirtualTime {
  let elapsed = 0;
  let offset = epochMs;
  let underway = 0;
  let timers: { readonly at: number; readonly order: number; readonly work: () => void }[] = [];
  let made = 0;

  /** Resolves when no tracked work is underway any more. */
  async function quiet(): Promise<void> {
    for (let calm = 0; calm < 3;) {
      await nextTurn();
      calm = underway === 0 ? calm + 1 : 0;
    }
  }

  async function passTo(end: number, isOver: () => boolean): Promise<void> {
    await quiet();
    while (!isOver()) {
      const [next] = timers.toSorted((a, b) => a.at - b.at || a.order - b.order);
      if (next === undefined || next.at > end) {
        elapsed = end;
        return;
      }
      timers = timers.filter((timer) => timer !== next);
      elapsed = Math.max(elapsed, next.at);
      next.work();
      await quiet();
    }
  }

  return {
    now: () => Math.floor(offset + elapsed),
    monotonic: () => elapsed,
    after(ms, work) {
      const timer = { at: elapsed + ms, order: (made += 1), work };
      timers.push(timer);
      return () => void (timers = timers.filter((each) => each !== timer));
    },
    async track(work) {
      underway += 1;
      try {
        return await work;
      } finally {
        underway -= 1;
      }
    },
    pass: (ms) => passTo(elapsed + ms, () => false),
    async passUntil(isSo, mostMs) {
      const end = elapsed + mostMs;
      await passTo(end, isSo);
      if (!isSo()) throw new Error(`it is not so after ${mostMs} ms`);
    },
    setWallClock: (to) => void (offset = to - elapsed),
  };
}
