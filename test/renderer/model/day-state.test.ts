// The state of a store day, and whether the day needs attention.

import { expect, test } from 'vitest';

import { countStates, needsAttention, dayStateOf } from '../../../renderer/model/day-state.ts';
import { dayWith, SIGNED } from '../days/day.ts';

test('a complete day is closed only if there are no sales here or upstream', () => {
  expect(dayStateOf(dayWith({ here: 0, upstream: 0 }))).toBe('closed');
  expect(dayStateOf(dayWith({ here: 1, upstream: 1, earlier: 1, earlierTaken: 1, basis: 'answers' }))).toBe('complete');
  expect(dayStateOf(dayWith({ here: 0, upstream: 3, verdict: 'differs' }))).toBe('differs');
  expect(dayStateOf(dayWith({ here: 0, upstream: null, verdict: 'waiting' }))).toBe('waiting');
});

test('days are counted by state', () => {
  const days = [dayWith(), dayWith({ here: 0, upstream: 0 }), dayWith({ verdict: 'differs' }), dayWith()];
  expect(countStates(days)).toEqual({ complete: 2, waiting: 0, differs: 1, 'cannot tell': 0, closed: 1 });
});

test('a day that differs needs attention, unless it may still change or is signed off', () => {
  const differs = dayWith({ verdict: 'differs' });
  expect(needsAttention(differs)).toBe(true);
  expect(needsAttention({ ...differs, isProvisional: true })).toBe(false);
  expect(needsAttention({ ...differs, signOff: SIGNED })).toBe(false);
  expect(needsAttention({ ...differs, signOff: { ...SIGNED, isReopened: true } })).toBe(true);
  expect(needsAttention(dayWith({ verdict: 'cannot tell' }))).toBe(false);
});
