// When a store day begins: minutes after midnight, a whole quarter hour, shown as a clock. Pure.

const QUARTER = 15;
const DAY = 1440;

/** 240 is "04:00". */
export function clockOfMinutes(minutes: number): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Every time a day may begin at, as a value and how it is shown. */
export const DAY_STARTS = Array.from({ length: DAY / QUARTER }, (_, i) => ({
  value: String(i * QUARTER),
  label: clockOfMinutes(i * QUARTER),
}));
