import { describe, expect, test } from 'vitest';

import { hourly, peak, thin, ticksBetween } from '../../../renderer/upstream/waiting.ts';

const MINUTE = 60_000;
const day = Array.from({ length: 1440 }, (_, minute) => ({ at: minute * MINUTE, waiting: minute === 703 ? 9 : 0 }));

describe('a day of samples', () => {
  test('is thinned without losing a peak', () => {
    const points = thin(day);
    expect(points.length).toBeLessThanOrEqual(288);
    expect(Math.max(...points.map(({ waiting }) => waiting))).toBe(9);
  });

  test('is left as it is when it is short', () => {
    const few = day.slice(0, 200);
    expect(thin(few)).toBe(few);
    expect(thin([])).toEqual([]);
  });

  test('has the most of each hour in a table, the newest first', () => {
    const hours = hourly(day);
    expect(hours).toHaveLength(24);
    expect(hours[0]).toEqual({ at: 23 * 60 * MINUTE, waiting: 0 });
    expect(hours.find(({ waiting }) => waiting > 0)).toEqual({ at: 11 * 60 * MINUTE, waiting: 9 });
  });

  test('has no peak when nothing waited', () => {
    expect(peak(day)).toEqual({ at: 703 * MINUTE, waiting: 9 });
    expect(peak(day.slice(0, 10))).toBeUndefined();
    expect(peak([])).toBeUndefined();
  });

  test('is marked at every second whole hour', () => {
    const hour = 60 * MINUTE;
    expect(ticksBetween(1.5 * hour, 6.1 * hour)).toEqual([2 * hour, 4 * hour, 6 * hour]);
    expect(ticksBetween(2.1 * hour, 3.9 * hour)).toEqual([2.1 * hour, 3.9 * hour]);
  });
});
