// Ticks of a chart's axes that people can read: few round numbers, and full hours. Pure.

/** Maximum number of steps on the axis of numbers. */
const MAX_STEPS = 5;

/** Whole numbers from 0 to the first round number that is not below `highest`: 0, 1, 2 for 2, and 0, 5, 10, 15 for 13. */
export function roundTicks(highest: number): number[] {
  const step = roundStep(Math.max(1, highest) / MAX_STEPS);
  const steps = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** The smallest of 1, 2, 5, 10, 20, 50, … that is not below `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const step = [1, 2, 5].find((each) => each * power >= least) ?? 10;
  return step * power;
}

/** Maximum number of hours on an axis: as many labels fit on a phone. */
const MAX_HOURS = 7;

/**
 * The starts of full hours among `starts`, every hour or every second, third, … hour of the day, so that at most seven are left.
 * If no start is a full hour, the first start. `clockOf` gives the time of day as HH:MM.
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
