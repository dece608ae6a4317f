// The current time for all screens. It advances every five seconds while a component uses it.

import { useSyncExternalStore } from 'react';

const TICK_MS = 5000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (timer === undefined) {
    now = Date.now(); // `now` is old, because the timer was stopped
    timer = setInterval(tick, TICK_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time in epoch milliseconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
