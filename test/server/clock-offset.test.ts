// The offset of this machine's clock, in virtual time.

import { expect, test } from 'vitest';

import { openClockOffset } from '../../server/clock-offset.ts';
import { HOUR, MINUTE, startVirtualTime } from '../support/virtual-time.ts';

function open() {
  const clock = startVirtualTime();
  let listeners: ((epochMs: number) => void)[] = [];
  const offset = openClockOffset({
    clock,
    listenForTime(onTime) {
      listeners.push(onTime);
      return () => void (listeners = listeners.filter((each) => each !== onTime));
    },
  });
  /** An answer of an upstream whose clock shows this time. */
  const answer = (epochMs: number): void => listeners.forEach((each) => each(epochMs));
  return { clock, offset, answer, countListeners: () => listeners.length };
}

test('without an answer, the offset is not known', () => {
  expect(open().offset.seconds()).toBeNaN();
});

test('an answer tells the offset, and half of the header’s second counts', () => {
  const { clock, offset, answer } = open();
  answer(clock.now() - 90_500);
  expect(offset.seconds()).toBe(90);
});

test('one answer a minute is read, and none after closing', async () => {
  const { clock, offset, answer, countListeners } = open();
  answer(clock.now() - 500);
  expect(countListeners()).toBe(0);
  answer(clock.now() - 99_500);
  expect(offset.seconds()).toBe(0);
  await clock.pass(MINUTE);
  answer(clock.now() + 9500);
  expect(offset.seconds()).toBe(-10);
  await clock.pass(MINUTE);
  expect(countListeners()).toBe(1);
  offset.close();
  expect(countListeners()).toBe(0);
});

test('an old answer tells nothing about the present time', async () => {
  const { clock, offset, answer } = open();
  answer(clock.now());
  await clock.pass(HOUR + MINUTE);
  expect(offset.seconds()).toBeNaN();
});
