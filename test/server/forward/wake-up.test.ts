// The one timer of a lane.

import { expect, test } from 'vitest';

import { openWakeUp } from '../../../server/forward/wake-up.ts';
import { startVirtualTime } from '../../support/virtual-time.ts';

function openTimed() {
  const time = startVirtualTime();
  const wokenAt: number[] = [];
  const wakeUp = openWakeUp(time, () => wokenAt.push(time.monotonic()));
  return { time, wakeUp, wokenAt };
}

test('it wakes once, at the earliest time that was asked for', () => {
  const { time, wakeUp, wokenAt } = openTimed();
  for (const at of [300, 200, 250, Infinity]) wakeUp.at(at);
  time.jump(1000);
  expect(wokenAt).toEqual([200]);
});

test('it can be set again after it woke, and wakes at once for a time that is over', () => {
  const { time, wakeUp, wokenAt } = openTimed();
  wakeUp.at(200);
  time.jump(200);
  wakeUp.at(500);
  time.jump(400);
  wakeUp.at(100);
  time.jump(0);
  expect(wokenAt).toEqual([200, 500, 600]);
});

test('cancelled, it does not wake, and can be set for later', () => {
  const { time, wakeUp, wokenAt } = openTimed();
  wakeUp.at(200);
  wakeUp.cancel();
  wakeUp.at(400);
  time.jump(1000);
  expect(wokenAt).toEqual([400]);
});
