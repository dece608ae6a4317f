// Time that passes only when a test advances it. So a test that waits a month takes only as long as the work of that month.

import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../server/lib/clock.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface VirtualTime extends Clock {
  /** Counts a promise as pending work. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Advances the time, timer by timer. All work of a timer ends before the next timer runs. */
  pass(ms: number): Promise<void>;
  /** Advances the time until `isSo` is true. Throws if it is not true after `mostMs`. */
  passUntil(isSo: () => boolean, mostMs: number): Promise<void>;
  /** Advances the time in one step. All due timers run first; the work that they start runs afterwards. */
  jump(ms: number): void;
  /** The number of waiting timers. */
  countTimers(): number;
  /** Resolves once `count` timers are waiting. */
  waitForTimers(count: number): Promise<void>;
  /** Sets the wall clock. Timers are not affected. */
  setWallClock(epochMs: number): void;
}

/** `quiet` ends after this number of event-loop turns in a row without pending work. */
const CALM_TURNS = 3;

export function startVirtualTime(epochMs = Date.UTC(2026, 10, 20, 10)): VirtualTime {
  let elapsed = 0;
  let offset = epochMs;
  /** Timers in the order in which they were set. */
  const timers = new Set<{ readonly at: number; readonly work: () => void }>();
  const timerWatchers = new Set<() => void>();
  let underway = 0;
  let idle = Promise.withResolvers<void>();

  /** Resolves when no tracked work is pending. */
  async function quiet(): Promise<void> {
    for (let calm = 0; calm < CALM_TURNS;) {
      if (underway > 0) await idle.promise;
      await nextTurn();
      calm = underway === 0 ? calm + 1 : 0;
    }
  }

  /** Runs the next timer that is due by `end`. Of timers with the same time, the oldest runs first. */
  function callNext(end: number): boolean {
    let next: { readonly at: number; readonly work: () => void } | undefined;
    for (const timer of timers) if (timer.at <= end && timer.at < (next?.at ?? Infinity)) next = timer;
    if (next === undefined) return false;
    timers.delete(next);
    elapsed = Math.max(elapsed, next.at);
    next.work();
    return true;
  }

  async function passTo(end: number, isOver: () => boolean): Promise<void> {
    await quiet();
    while (!isOver()) {
      if (!callNext(end)) return void (elapsed = end);
      await quiet();
    }
  }

  return {
    now: () => Math.floor(offset + elapsed),
    monotonic: () => elapsed,
    after(ms, work) {
      const timer = { at: elapsed + ms, work };
      timers.add(timer);
      for (const look of timerWatchers) look();
      return () => void timers.delete(timer);
    },
    async track(work) {
      if (underway === 0) idle = Promise.withResolvers();
      underway += 1;
      try {
        return await work;
      } finally {
        underway -= 1;
        if (underway === 0) idle.resolve();
      }
    },
    pass: (ms) => passTo(elapsed + ms, () => false),
    async passUntil(isSo, mostMs) {
      const end = elapsed + mostMs;
      await passTo(end, isSo);
      if (!isSo()) throw new Error(`it is not so after ${mostMs} ms`);
    },
    jump(ms) {
      const end = elapsed + ms;
      while (callNext(end));
      elapsed = end;
    },
    countTimers: () => timers.size,
    waitForTimers(count) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (timers.size < count) return;
          timerWatchers.delete(look);
          resolve();
        };
        timerWatchers.add(look);
        look();
      });
    },
    setWallClock: (to) => void (offset = to - elapsed),
  };
}
