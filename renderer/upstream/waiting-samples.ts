// The number of waiting records in the last day, for a curve and a table. Pure.

import type { WaitingSample } from '../../server/contract/lanes.ts';

/** Maximum points of the curve. */
const MAX_POINTS = 288;
const HOUR_MS = 3_600_000;

/** At most 288 samples. Of neighbouring samples, the highest stays, so no peak is lost. */
export function downsample(samples: readonly WaitingSample[]): readonly WaitingSample[] {
  const together = Math.ceil(samples.length / MAX_POINTS);
  return together <= 1 ? samples : group(samples, (_, index) => Math.floor(index / together)).map(highestOf);
}

/** The highest sample of each hour, newest hour first. */
export function hourlyPeaks(samples: readonly WaitingSample[]): readonly WaitingSample[] {
  return group(samples, ({ at }) => Math.floor(at / HOUR_MS))
    .map((hour) => ({ at: Math.floor((hour[0]?.at ?? 0) / HOUR_MS) * HOUR_MS, waiting: highestOf(hour).waiting }))
    .toReversed();
}

export function peak(samples: readonly WaitingSample[]): WaitingSample | undefined {
  const highest = samples.length === 0 ? undefined : highestOf(samples);
  return highest !== undefined && highest.waiting > 0 ? highest : undefined;
}

/** The start of the last 24 hours, and ticks for every fourth hour. Times are epoch milliseconds. */
export function lastDay(now: number): { readonly from: number; readonly ticks: readonly number[] } {
  const from = now - 24 * HOUR_MS;
  const first = Math.ceil(from / (4 * HOUR_MS));
  return { from, ticks: Array.from({ length: 6 }, (_, i) => (first + i) * 4 * HOUR_MS) };
}

function highestOf(samples: readonly WaitingSample[]): WaitingSample {
  return samples.reduce((highest, sample) => (sample.waiting > highest.waiting ? sample : highest));
}

function group(
  samples: readonly WaitingSample[],
  by: (sample: WaitingSample, index: number) => number,
): readonly (readonly WaitingSample[])[] {
  const groups = new Map<number, WaitingSample[]>();
  for (const [index, sample] of samples.entries()) {
    const key = by(sample, index);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [sample]);
    else known.push(sample);
  }
  return [...groups.values()];
}
