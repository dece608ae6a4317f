import { expect, test } from 'vitest';

import { backOffMs } from '../../../server/forward/back-off.ts';

const FROM_A_SECOND = { firstMs: 1000, maxMs: 300_000 };

test.each([
  [0, 1000],
  [1, 2000],
  [2, 4000],
  [8, 256_000],
  [9, 300_000],
  [31, 300_000],
  [10_000, 300_000],
  [Number.MAX_SAFE_INTEGER, 300_000],
])('after %i failures the longest wait is %i ms, and the random part may be any', (failures, most) => {
  expect(backOffMs(FROM_A_SECOND, failures, 1)).toBe(most);
  expect(backOffMs(FROM_A_SECOND, failures, 0.5)).toBe(most / 2);
  expect(backOffMs(FROM_A_SECOND, failures, 0)).toBe(0);
});

test('a first wait beyond the limit is the limit', () => {
  expect(backOffMs({ firstMs: 600_000, maxMs: 300_000 }, 0, 1)).toBe(300_000);
});
