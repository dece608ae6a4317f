// The time at which a store day starts: minutes after midnight, in quarter hours. Pure.

const QUARTER_MINUTES = 15;
const DAY_MINUTES = 1440;

/** Minutes after midnight as a clock time: 240 is "04:00". */
export function clockOfMinutes(minutes: number): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** All possible day starts, as options of a select. */
export const DAY_STARTS = Array.from({ length: DAY_MINUTES / QUARTER_MINUTES }, (_, i) => ({
  value: String(i * QUARTER_MINUTES),
  label: clockOfMinutes(i * QUARTER_MINUTES),
}));
