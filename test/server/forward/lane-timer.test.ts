// The one timer of a lane.

import { expect, test } from 'vitest';

import { openLaneTimer } from '../../../server/forward/lane-timer.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

function openTimed() {
  const time = startVirtualTime();
  const wokenAt: number[] = [];
  const timer = openLaneTimer(time, () => wokenAt.push(time.monotonic()));
  return { time, timer, wokenAt };
}

test('it wakes once, at the earliest time that was asked for', () => {
  const { time, timer, wokenAt } = openTimed();
  for (const at of [300, 200, 250, Infinity]) timer.at(at);
  time.jump(1000);
  expect(wokenAt).toEqual([200]);
});

test('it can be set again after it woke, and wakes at once for a time that is over', () => {
  const { time, timer, wokenAt } = openTimed();
  timer.at(200);
  time.jump(200);
  timer.at(500);
  time.jump(400);
  timer.at(100);
  time.jump(0);
  expect(wokenAt).toEqual([200, 500, 600]);
});

test('cancelled, it does not wake, and can be set for later', () => {
  const { time, timer, wokenAt } = openTimed();
  timer.at(200);
  timer.cancel();
  timer.at(400);
  time.jump(1000);
  expect(wokenAt).toEqual([400]);
});
