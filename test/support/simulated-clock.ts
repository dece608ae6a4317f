// Time that passes only when a test says so.

import type { Clock } from '../../server/clock.ts';

export interface SimulatedClock extends Clock {
  /** Lets time pass; timers that fall due are called at their time, in order, those set meanwhile too. */
  advance(ms: number): void;
  /** Resolves once so many timers are waiting. */
  waitForTimers(count: number): Promise<void>;
}

export function openSimulatedClock(start = Date.parse('2026-11-20T10:00:00Z')): SimulatedClock {
  let now = start;
  let timers: { readonly at: number; readonly act: () => void }[] = [];
  const watchers = new Set<() => void>();

  return {
    now: () => now,
    monotonic: () => now - start,
    after(ms, act) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      for (const look of watchers) look();
      return () => (timers = timers.filter((other) => other !== timer));
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.at);
        next.act();
      }
      now = end;
    },
    waitForTimers(count) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (timers.length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
  };
}
