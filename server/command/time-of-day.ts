// Times of day and time zones in options of the command line. A time of day is a number of minutes after midnight.

import { UsageError } from '../errors.ts';
import { isTimeZone } from '../store-day.ts';
import { quote } from './output.ts';

/** Reads a time such as 08:30, whose minutes must be a multiple of `step`. Undefined if the text is no such time. */
export function readTimeOfDay(text: string, step: 1 | 15): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  if (hours === undefined || Number(minutes) % step !== 0) return undefined;
  return Number(hours) * 60 + Number(minutes);
}

/** Like `readTimeOfDay`, for the value of an option. Throws a UsageError. */
export function parseTimeOfDay(text: string, option: string, step: 1 | 15 = 1): number {
  const minutes = readTimeOfDay(text, step);
  if (minutes !== undefined) return minutes;
  const steps = step === 1 ? '' : ` in steps of ${step} minutes,`;
  throw new UsageError(`${option} must be a time${steps} from 00:00 to 23:${60 - step}, not ${quote(text)}.`);
}

export function formatTimeOfDay(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Reads the option --time-zone. Throws a UsageError. */
export function parseTimeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new UsageError(`--time-zone must be the name of a time zone, such as Europe/Amsterdam, not ${quote(text)}.`);
}
