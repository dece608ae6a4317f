import { describe, expect, test } from 'vitest';

import { hourlyPeaks, peak, downsample, ticksBetween } from '../../../renderer/upstream/waiting-samples.ts';

const MINUTE = 60_000;
const day = Array.from({ length: 1440 }, (_, minute) => ({ at: minute * MINUTE, waiting: minute === 703 ? 9 : 0 }));

describe('a day of samples', () => {
  test('is downsampled without losing a peak', () => {
    const points = downsample(day);
    expect(points.length).toBeLessThanOrEqual(288);
    expect(Math.max(...points.map(({ waiting }) => waiting))).toBe(9);
  });

  test('stays unchanged if it is short', () => {
    const few = day.slice(0, 200);
    expect(downsample(few)).toBe(few);
    expect(downsample([])).toEqual([]);
  });

  test('has the peak of each hour in a table, newest first', () => {
    const hours = hourlyPeaks(day);
    expect(hours).toHaveLength(24);
    expect(hours[0]).toEqual({ at: 23 * 60 * MINUTE, waiting: 0 });
    expect(hours.find(({ waiting }) => waiting > 0)).toEqual({ at: 11 * 60 * MINUTE, waiting: 9 });
  });

  test('has no peak if no record waited', () => {
    expect(peak(day)).toEqual({ at: 703 * MINUTE, waiting: 9 });
    expect(peak(day.slice(0, 10))).toBeUndefined();
    expect(peak([])).toBeUndefined();
  });

  test('has a tick at every second full hour', () => {
    const hour = 60 * MINUTE;
    expect(ticksBetween(1.5 * hour, 6.1 * hour)).toEqual([2 * hour, 4 * hour, 6 * hour]);
    expect(ticksBetween(2.1 * hour, 3.9 * hour)).toEqual([2.1 * hour, 3.9 * hour]);
  });
});
