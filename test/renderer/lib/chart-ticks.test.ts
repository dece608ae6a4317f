import { expect, test } from 'vitest';

import { hourTicks, roundTicks } from '../../../renderer/lib/chart-ticks.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [2, [0, 1, 2]],
  [5, [0, 1, 2, 3, 4, 5]],
  [6, [0, 2, 4, 6]],
  [13, [0, 5, 10, 15]],
  [26, [0, 10, 20, 30]],
  [412, [0, 100, 200, 300, 400, 500]],
  [9999, [0, 2000, 4000, 6000, 8000, 10_000]],
])('an axis up to %d has few round numbers and ends just above', (highest, ticks) => {
  expect(roundTicks(highest)).toEqual(ticks);
});

const clockOf = (start: number): string =>
  `${String(Math.floor(start / 60)).padStart(2, '0')}:${String(start % 60).padStart(2, '0')}`;
const quarters = (first: number, last: number): number[] =>
  Array.from({ length: (last - first) / 15 + 1 }, (_, index) => first + index * 15);

test('the axis of a day names at most seven full hours', () => {
  const hours = (first: number, last: number) => hourTicks(quarters(first * 60, last * 60), clockOf).map(clockOf);
  expect(hours(9, 12)).toEqual(['09:00', '10:00', '11:00', '12:00']);
  expect(hours(8, 18)).toEqual(['08:00', '10:00', '12:00', '14:00', '16:00', '18:00']);
  expect(hours(0, 23.75)).toEqual(['00:00', '04:00', '08:00', '12:00', '16:00', '20:00']);
});

test('an axis without a full hour names its first quarter hour', () => {
  expect(hourTicks([16 * 60 + 45], clockOf).map(clockOf)).toEqual(['16:45']);
  expect(hourTicks([], clockOf)).toEqual([]);
});
