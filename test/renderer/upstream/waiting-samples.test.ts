import { describe, expect, test } from 'vitest';

import { hourlyPeaks, peak, downsample, lastDay } from '../../../renderer/upstream/waiting-samples.ts';

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

  test('spans 24 hours even if the samples are few, with a tick every four hours', () => {
    const hour = 60 * MINUTE;
    const now = 30.5 * hour;
    expect(lastDay(now)).toEqual({ from: 6.5 * hour, ticks: [8, 12, 16, 20, 24, 28].map((each) => each * hour) });
  });
});
