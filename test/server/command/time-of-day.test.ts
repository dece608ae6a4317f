// Times of day in options of the command line.

import { expect, test } from 'vitest';

import { formatTimeOfDay, parseTimeOfDay } from '../../../server/command/time-of-day.ts';

test.each([
  ['00:00', 1, 0],
  [' 08:05 ', 1, 485],
  ['23:45', 15, 1425],
] as const)('%j in steps of %i is %i minutes after midnight', (text, step, minutes) => {
  expect(parseTimeOfDay(text, '--digest', step)).toBe(minutes);
  expect(formatTimeOfDay(minutes)).toBe(text.trim());
});

test.each([
  ['8:05', 1, '--digest must be a time from 00:00 to 23:59, not "8:05".'],
  ['24:00', 1, '--digest must be a time from 00:00 to 23:59, not "24:00".'],
  ['08:05', 15, '--digest must be a time in steps of 15 minutes, from 00:00 to 23:45, not "08:05".'],
] as const)('%j in steps of %i is refused', (text, step, message) => {
  expect(() => parseTimeOfDay(text, '--digest', step)).toThrow(message);
});
