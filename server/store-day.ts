// Store days: the day of a shop begins at its cut-off in its own zone, and is a half-open range of instants. At a clock
// change it has 23 or 25 hours. A rule may be replaced from a date on: that day begins where the one before it ended, so
// that the days of an administration cover every instant once, whatever its rules were. The gateway and the console both count
// days by this file.

import { Temporal } from 'temporal-polyfill';

import type { DayRule, DayRulePeriod, DayRules, StoreDay } from './contract/days.ts';
import { addDays } from './lib/calendar.ts';

/** The rules of an administration that never had another. */
export function always(rule: DayRule): DayRules {
  return [{ ...rule, since: null }];
}

/** The store day that an instant is in. */
export function storeDayAt(epochMs: number, rules: DayRules): StoreDay {
  const seconds = Math.floor(epochMs / 1000);
  const { timeZone } = periodOf(rules, ({ at }) => at <= seconds);
  let date = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone).toPlainDate();
  // Before the cut-off it is still the day before; where a rule was replaced it may be another one still.
  while (seconds < startOf(date, rules)) date = date.subtract({ days: 1 });
  while (seconds >= startOf(date.add({ days: 1 }), rules)) date = date.add({ days: 1 });
  return rangeOf(date, rules);
}

/** The store day of a date, `YYYY-MM-DD`; undefined when there is no such date. */
export function storeDayOf(date: string, rules: DayRules): StoreDay | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined;
  try {
    return rangeOf(Temporal.PlainDate.from(date), rules);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether a text is a date, `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  return storeDayOf(text, always({ timeZone: 'UTC', dayStartsAt: 0 })) !== undefined;
}

/** The store days from one date to another, both included. Throws a RangeError for what is no date. */
export function listStoreDays(from: string, to: string, rules: DayRules): StoreDay[] {
  const last = Temporal.PlainDate.from(to);
  const days: StoreDay[] = [];
  for (let date = Temporal.PlainDate.from(from); Temporal.PlainDate.compare(date, last) <= 0;) {
    const next = date.add({ days: 1 });
    days.push({ date: date.toString(), from: days.at(-1)?.to ?? startOf(date, rules), to: startOf(next, rules) });
    date = next;
  }
  return days;
}

/** The first and the last date of a month, `YYYY-MM`, or of a year, `YYYY`; undefined for what is neither. */
export function datesOf(period: string): { readonly from: string; readonly to: string } | undefined {
  if (/^\d{4}$/.test(period)) return { from: `${period}-01-01`, to: `${period}-12-31` };
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(period)) return undefined;
  const { daysInMonth } = Temporal.PlainYearMonth.from(period);
  return { from: `${period}-01`, to: `${period}-${daysInMonth}` };
}

/** The first and the last date of a range, in epoch seconds, that is made up of whole store days; undefined for any other. */
export function datesOfRange(
  range: { readonly from: number; readonly to: number },
  rules: DayRules,
): { readonly first: string; readonly last: string } | undefined {
  if (range.from >= range.to) return undefined;
  const first = storeDayAt(range.from * 1000, rules);
  const last = storeDayAt((range.to - 1) * 1000, rules);
  return first.from === range.from && last.to === range.to ? { first: first.date, last: last.date } : undefined;
}

/**
 * When clocks in a zone show a time, in minutes after midnight, of a date: epoch seconds. A time that clocks leave out is as much
 * later as they jump; of one that comes twice, the first. Throws a RangeError for what is no date.
 */
export function instantOf(date: string, minutes: number, timeZone: string): number {
  const plainTime = Temporal.PlainTime.from({ hour: Math.floor(minutes / 60), minute: minutes % 60 });
  return Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds / 1000;
}

/** What clocks in a zone show at an instant in epoch seconds: a date, and a time as `HH:MM`. */
export function clockAt(at: number, timeZone: string): { readonly date: string; readonly time: string } {
  const shown = Temporal.Instant.fromEpochMilliseconds(at * 1000).toZonedDateTimeISO(timeZone);
  return { date: shown.toPlainDate().toString(), time: shown.toPlainTime().toString({ smallestUnit: 'minute' }) };
}

/** The days of the week that a date is in, Monday first. */
export function weekOf(date: string): { readonly from: string; readonly to: string } {
  const monday = addDays(date, 1 - Temporal.PlainDate.from(date).dayOfWeek);
  return { from: monday, to: addDays(monday, 6) };
}

/**
 * The rules once another one is for all days from `date` on; what was for them before is forgotten. Without a date it is for
 * all days there are.
 */
export function replaceRule(rules: DayRules, rule: DayRule, date: string | undefined): DayRules {
  if (date === undefined) return always(rule);
  const at = startOf(Temporal.PlainDate.from(date), rules);
  const earlier = rules.filter(({ since }) => since === null || since.date < date);
  return [...earlier, { ...rule, since: { date, at } }];
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

function rangeOf(date: Temporal.PlainDate, rules: DayRules): StoreDay {
  return { date: date.toString(), from: startOf(date, rules), to: startOf(date.add({ days: 1 }), rules) };
}

/** The rule that the day of a date, `YYYY-MM-DD`, begins by. */
export function ruleOf(date: string, rules: DayRules): DayRulePeriod {
  return periodOf(rules, (begun) => begun.date <= date);
}

/** The newest rule that had begun. */
function periodOf(rules: DayRules, hasBegun: (since: { date: string; at: number }) => boolean): DayRulePeriod {
  const period = rules.findLast(({ since }) => since === null || hasBegun(since));
  if (period === undefined) throw new Error('an administration has no rule for its days');
  return period;
}

/** Long ago clocks were no whole quarter hours apart, but records are counted by them; in seconds. */
const QUARTER = 900;

/** Epoch seconds. A cut-off that a clock change leaves out is as much later as the clock jumps; of one that comes twice, the first. */
function startOf(date: Temporal.PlainDate, rules: DayRules): number {
  const text = date.toString();
  const { timeZone, dayStartsAt, since } = ruleOf(text, rules);
  if (since?.date === text) return since.at;
  const start = Math.floor(instantOf(text, dayStartsAt, timeZone) / QUARTER) * QUARTER;
  // A rule that begins much later than the one before would begin its second day before its first.
  return since === null ? start : Math.max(start, since.at);
}
