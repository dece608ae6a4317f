import { expect, test } from 'vitest';

import { weekStartOf } from '../../../renderer/lib/week-start.ts';

test('the first day of the week depends on the locale', () => {
  expect(weekStartOf('nl')).toBe(1);
  expect(weekStartOf('en-US')).toBe(7);
});
