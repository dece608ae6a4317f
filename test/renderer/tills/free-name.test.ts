import { expect, test } from 'vitest';

import { freeName } from '../../../renderer/tills/free-name.ts';

test.each([
  [[], 'Till 1'],
  [['Till 2', 'Bar'], 'Till 1'],
  [['Till 2', 'till 1', 'Till 4'], 'Till 3'],
])('after %j the next till is %s', (taken, name) => {
  expect(freeName((n) => `Till ${n}`, taken)).toBe(name);
});
