// Turns the outages of a lane into time spans for a chart. Pure.

import type { Outage } from '../../server/contract/lanes.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Maximum time between two outages that the chart shows as one. */
const SAME_SPAN_MS = 60_000;

/**
 * Returns the time spans since `first` in which a lane did not run, oldest first. Leaves out pauses, because a person chose
 * them.
 */
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
