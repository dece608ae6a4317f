// How many records waited in the last day, as a curve and as a table. Pure.

import type { WaitingSample } from '../../server/contract/lanes.ts';

/** So many points are enough for a curve. */
const POINTS = 288;
const HOUR = 3_600_000;

/** At the most 288 samples: of neighbours the one with the most waiting, so that no peak is lost. */
export function thin(samples: readonly WaitingSample[]): readonly WaitingSample[] {
  const together = Math.ceil(samples.length / POINTS);
  return together <= 1 ? samples : group(samples, (_, index) => Math.floor(index / together)).map(most);
}

/** Of each hour, the sample with the most waiting; the newest hour first. */
export function hourly(samples: readonly WaitingSample[]): readonly WaitingSample[] {
  return group(samples, ({ at }) => Math.floor(at / HOUR))
    .map((hour) => ({ at: Math.floor((hour[0]?.at ?? 0) / HOUR) * HOUR, waiting: most(hour).waiting }))
    .toReversed();
}

export function peak(samples: readonly WaitingSample[]): WaitingSample | undefined {
  const highest = samples.length === 0 ? undefined : most(samples);
  return highest !== undefined && highest.waiting > 0 ? highest : undefined;
}

/** The instants between two that are whole hours, every second one; where there are too few, the ends. */
export function ticksBetween(from: number, to: number): readonly number[] {
  const first = Math.ceil(from / (2 * HOUR));
  const last = Math.floor(to / (2 * HOUR));
  if (last - first < 1) return [from, to];
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * 2 * HOUR);
}

function most(samples: readonly WaitingSample[]): WaitingSample {
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
