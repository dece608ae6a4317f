// Readable ticks for the axes of charts: a few round numbers, or full hours. Pure.

/** Maximum number of steps on the axis of numbers. */
const MAX_STEPS = 5;

/**
 * Whole numbers in equal steps from 0. The last number is at least `highest`. Examples: 2 gives 0, 1, 2; 13 gives 0, 5, 10, 15.
 */
export function roundTicks(highest: number): number[] {
  const step = roundStep(Math.max(1, highest) / MAX_STEPS);
  const steps = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** The smallest number among 1, 2, 5, 10, 20, 50, … that is at least `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const step = [1, 2, 5].find((each) => each * power >= least) ?? 10;
  return step * power;
}

/** Maximum number of hour labels on an axis, because a phone has no space for more. */
const MAX_HOURS = 7;

/**
 * Returns the `starts` that are full hours, at most seven. If there are more, keeps only every second, third, fourth, sixth or
 * twelfth hour. If that leaves none, returns the first full hour, or else the first start. `clockOf` returns the time of day as
 * HH:MM.
 */
export function hourTicks(starts: readonly number[], clockOf: (start: number) => string): number[] {
  const full = starts.filter((start) => clockOf(start).endsWith(':00'));
  const hourOf = (start: number): number => Number(clockOf(start).slice(0, 2));
  for (const step of [1, 2, 3, 4, 6, 12]) {
    const ticks = full.filter((start) => hourOf(start) % step === 0);
    if (ticks.length > 0 && ticks.length <= MAX_HOURS) return ticks;
  }
  return [...full, ...starts].slice(0, 1);
}
