// The pause of a lane: its length, its end, and which records are sent first after it.

import { expect, test } from 'vitest';

import { causeOf } from '../../../server/cause.ts';
import { MAX_PAUSE_MS, openPause } from '../../../server/forward/pause.ts';

const CAUSE = causeOf('slow_down', 429);

test.each([
  [0, 1000],
  [5000, 5000],
  [2 * MAX_PAUSE_MS, MAX_PAUSE_MS],
])('a Retry-After of %i ms is obeyed within its bounds: %i ms', (retryAfterMs, pausedMs) => {
  expect(openPause(() => 0).note(CAUSE, retryAfterMs, 100)).toBe(100 + pausedMs);
});

test('without Retry-After each pause is twice as long, one minute at most, and one second at least', () => {
  const pause = openPause(() => 1);
  const lengths = Array.from({ length: 8 }, () => {
    const now = Math.max(0, pause.until());
    return (pause.note(CAUSE, undefined, now) - now) / 1000;
  });
  expect(lengths).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(openPause(() => 0).note(CAUSE, undefined, 0)).toBe(1000);
});

test('a record that was sent since ends the pause, and one that was sent before does not', () => {
  const pause = openPause(() => 1);
  pause.note(CAUSE, 5000, 100);
  pause.notePass(100);
  expect(pause.until()).toBe(5100);
  pause.notePass(101);
  expect([pause.until(), pause.last()]).toEqual([-Infinity, undefined]);
});

test('“try now” allows one trial while the pause runs, and none after it', () => {
  const pause = openPause(() => 1);
  pause.tryNow(0);
  expect(pause.takeTrial()).toBe(false);
  pause.note(CAUSE, 5000, 0);
  pause.tryNow(4999);
  expect([pause.takeTrial(), pause.takeTrial()]).toEqual([true, false]);
  pause.tryNow(5000);
  expect(pause.takeTrial()).toBe(false);
});

test('a retry goes first after every second pause, however often one pause is asked for', () => {
  const pause = openPause(() => 1);
  const next = [0, 10, 1010, 1020, 4000].map((now) => (pause.note(CAUSE, undefined, now), pause.isRetryNext()));
  expect(next).toEqual([true, true, false, false, true]);
});
