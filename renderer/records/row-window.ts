// Which rows of the list are there at all. Pure.

import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';

/**
 * Those near the window and, wherever it is, the row that the keyboard is at: Tab comes to no other one, and a row that is
 * taken away while it has the focus leaves it nowhere. In the order of the list, so that none is moved on the page.
 */
export function rowsThere(range: Range, active: number): number[] {
  const near = defaultRangeExtractor(range);
  if (active >= range.count || near.includes(active)) return near;
  return [...near, active].toSorted((a, b) => a - b);
}
