// Which rows of the list are rendered. Pure.

import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';

/**
 * The rows near the window, and the active row wherever it is: it is the only row that Tab reaches, and removing it would
 * lose the focus. In list order, so that React moves no row.
 */
export function renderedRows(range: Range, active: number): number[] {
  const near = defaultRangeExtractor(range);
  if (active >= range.count || near.includes(active)) return near;
  return [...near, active].toSorted((a, b) => a - b);
}
