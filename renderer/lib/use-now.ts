// The time that the screens are drawn for, the same for all of them; it moves on every five seconds while something looks.

import { useSyncExternalStore } from 'react';

const EVERY_MS = 5000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function moveOn(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (timer === undefined) {
    now = Date.now(); // it stood still
    timer = setInterval(moveOn, EVERY_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Epoch milliseconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
