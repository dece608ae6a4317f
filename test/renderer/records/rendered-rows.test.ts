import { expect, test } from 'vitest';

import { renderedRows } from '../../../renderer/records/rendered-rows.ts';

test.each([
  ['among the visible rows', 101, [99, 100, 101, 102]],
  ['above the visible rows', 3, [3, 99, 100, 101, 102]],
  ['below the visible rows', 400, [99, 100, 101, 102, 400]],
  ['no longer in the list', 500, [99, 100, 101, 102]],
])('the active row is always rendered: %s', (_, active, expected) => {
  expect(renderedRows({ startIndex: 100, endIndex: 101, overscan: 1, count: 500 }, active)).toEqual(expected);
});
