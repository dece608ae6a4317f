// The outages of a chart as spans. Pure.

import type { Outage } from '../../server/contract/lanes.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Outages that are at most this far apart become one span. */
const SAME_SPAN_MS = 60_000;

/** The spans in which a lane did not run from `first` on, in order. Pauses are left out, because people chose them. */
export function spansOf(outages: readonly Outage[], first: number, now: number): Span[] {
  const spans: { from: number; to: number }[] = [];
  const sorted = outages
    .filter(({ state, to }) => state !== 'paused' && (to ?? now) >= first)
    .toSorted((a, b) => a.from - b.from);
  for (const { from, to } of sorted) {
    const last = spans.at(-1);
    if (last !== undefined && from - last.to <= SAME_SPAN_MS) last.to = Math.max(last.to, to ?? now);
    else spans.push({ from, to: to ?? now });
  }
  return spans;
}
