import { expect, test } from 'vitest';

import { clockOfMinutes, DAY_STARTS } from '../../../renderer/lib/time-of-day.ts';

test('a day starts on a quarter hour', () => {
  expect(clockOfMinutes(0)).toBe('00:00');
  expect(clockOfMinutes(245)).toBe('04:05');
  expect(DAY_STARTS).toHaveLength(96);
  expect(DAY_STARTS.at(-1)).toEqual({ value: '1425', label: '23:45' });
});
