// Store days: the day of a shop begins at its cut-off in its own zone, and is a half-open range of instants. At a clock
// change it has 23 or 25 hours; together the days of a rule cover every instant once.

import { Temporal } from 'temporal-polyfill';

import type { StoreDay } from './contract.ts';

/** When the days of an administration begin. */
export interface DayRule {
  /** IANA name. */
  readonly timeZone: string;
  /** Minutes after midnight. */
  readonly dayStartsAt: number;
}

/** The store day that an instant is in. */
export function storeDayAt(epochMs: number, rule: DayRule): StoreDay {
  const instant = Temporal.Instant.fromEpochMilliseconds(epochMs);
  const date = instant.toZonedDateTimeISO(rule.timeZone).toPlainDate();
  const seconds = Math.floor(epochMs / 1000);
  // Before the cut-off it is still the day before.
  return rangeOf(seconds < startOf(date, rule) ? date.subtract({ days: 1 }) : date, rule);
}

/** The store day of a date, `YYYY-MM-DD`; undefined when there is no such date. */
export function storeDayOf(date: string, rule: DayRule): StoreDay | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined;
  try {
    return rangeOf(Temporal.PlainDate.from(date), rule);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether this machine knows a zone by this name; an offset such as +02:00 is none, because it has no clock changes. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function rangeOf(date: Temporal.PlainDate, rule: DayRule): StoreDay {
  return { date: date.toString(), from: startOf(date, rule), to: startOf(date.add({ days: 1 }), rule) };
}

/** Epoch seconds. A cut-off that a clock change leaves out is as much later as the clock jumps; of one that comes twice, the first. */
function startOf(date: Temporal.PlainDate, { timeZone, dayStartsAt }: DayRule): number {
  const plainTime = Temporal.PlainTime.from({ hour: Math.floor(dayStartsAt / 60), minute: dayStartsAt % 60 });
  return date.toZonedDateTime({ timeZone, plainTime }).epochMilliseconds / 1000;
}
