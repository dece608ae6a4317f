// Places two bodies side by side. Lines with the same place in the JSON share a row, and differences are highlighted. A body
// may have half a million lines, so the work per line must stay small. Pure.

import type { Line } from './body-lines.ts';

export interface Row {
  /** The line of the original; undefined if only the resend has a line here. */
  readonly original: Line | undefined;
  readonly resent: Line | undefined;
  readonly isDifferent: boolean;
}

/** `differing` holds the JSON pointers of the differences. */
export function rowsOf(original: readonly Line[], resent: readonly Line[], differing: readonly string[]): Row[] {
  const different = new Set(differing);
  const isDifferent = (line: Line | undefined): boolean => {
    if (line === undefined || different.has('')) return line !== undefined;
    // A line differs if its own place or one of its parents differs.
    for (let { pointer } = line; pointer !== ''; pointer = pointer.slice(0, pointer.lastIndexOf('/')))
      if (different.has(pointer)) return true;
    return false;
  };
  const row = (left: Line | undefined, right: Line | undefined): Row => ({
    original: left,
    resent: right,
    isDifferent: isDifferent(left) || isDifferent(right),
  });
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  const end = [original.length, resent.length] as const;
  for (const [left, right] of [...pairsOf(original, resent), end]) {
    // Lines between two pairs exist in only one of the bodies.
    while (i < left) rows.push(row(original[i++], undefined));
    while (j < right) rows.push(row(undefined, resent[j++]));
    if (i < end[0] && j < end[1]) rows.push(row(original[i++], resent[j++]));
  }
  return rows;
}

const keyOf = ({ pointer, isEnd }: Line): string => (isEnd ? `${pointer} end` : pointer);

/** The longest sequence of lines that have the same place and the same order in both bodies, as pairs of indexes. */
function pairsOf(original: readonly Line[], resent: readonly Line[]): [number, number][] {
  const places = new Map<string, number[]>();
  for (const [fromEnd, line] of resent.toReversed().entries()) {
    const j = resent.length - 1 - fromEnd;
    const known = places.get(keyOf(line));
    if (known === undefined) places.set(keyOf(line), [j]);
    else known.push(j);
  }
  const candidates: [number, number][] = [];
  for (const [i, line] of original.entries()) {
    const j = places.get(keyOf(line))?.pop();
    if (j !== undefined) candidates.push([i, j]);
  }
  return longestRising(candidates);
}

interface Chain {
  readonly pair: [number, number];
  readonly before: Chain | undefined;
}

/** The longest sequence of pairs whose right indexes increase. The left indexes of `pairs` already increase. */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const best: Chain[] = []; // best[n] is the chain of n + 1 pairs whose last right index is lowest
  for (const pair of pairs) {
    let [low, high] = [0, best.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((best[middle]?.pair[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    best[low] = { pair, before: best[low - 1] };
  }
  const rising: [number, number][] = [];
  for (let chain = best.at(-1); chain !== undefined; chain = chain.before) rising.push(chain.pair);
  return rising.toReversed();
}
