import { expect, test } from 'vitest';

import { renderedRows } from '../../../renderer/records/rendered-rows.ts';

test.each([
  ['among those that are seen', 101, [99, 100, 101, 102]],
  ['above them', 3, [3, 99, 100, 101, 102]],
  ['below them', 400, [99, 100, 101, 102, 400]],
  ['no longer in the list', 500, [99, 100, 101, 102]],
])('the active row is always rendered: %s', (_, active, expected) => {
  expect(renderedRows({ startIndex: 100, endIndex: 101, overscan: 1, count: 500 }, active)).toEqual(expected);
});
