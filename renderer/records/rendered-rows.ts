// Which rows of the list are rendered. Pure.

import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';

/**
 * Returns the rows near the visible part of the list, and always the active row. Only the active row can be reached by Tab, and
 * removing it would lose the focus. The result is in list order, so that React moves no row.
 */
export function renderedRows(range: Range, active: number): number[] {
  const near = defaultRangeExtractor(range);
  if (active >= range.count || near.includes(active)) return near;
  return [...near, active].toSorted((a, b) => a - b);
}
