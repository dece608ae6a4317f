// Store days. A day begins at the shop's cut-off in its own time zone, and ends when the next day begins. A day with a clock
// change has 23 or 25 hours. A new rule applies from a chosen date. The first day with the new rule begins when the day before
// it ends. So the days of an administration cover every instant exactly once. The gateway and the console share this file.

import { Temporal } from 'temporal-polyfill';

import type { DayRule, DayRulePeriod, DayRules, StoreDay } from './contract/days.ts';
import { addDays } from './lib/calendar.ts';

/** The day rules of an administration that has never changed its rule. */
export function always(rule: DayRule): DayRules {
  return [{ ...rule, since: null }];
}

/** The store day of an instant. */
export function storeDayAt(epochMs: number, rules: DayRules): StoreDay {
  const seconds = Math.floor(epochMs / 1000);
  const { timeZone } = periodOf(rules, ({ at }) => at <= seconds);
  let date = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone).toPlainDate();
  // Before the cut-off, the instant belongs to the previous day. Near a change of the rule, the right day may be even further
  // away.
  while (seconds < startOf(date, rules)) date = date.subtract({ days: 1 });
  while (seconds >= startOf(date.add({ days: 1 }), rules)) date = date.add({ days: 1 });
  return rangeOf(date, rules);
}

/** The store day of a date, `YYYY-MM-DD`; undefined for an invalid date. */
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

/** The store days from one date to another, both included. Throws a RangeError for an invalid date. */
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

/** The first and the last date of a month, `YYYY-MM`, or of a year, `YYYY`; undefined for any other text. */
export function datesOf(period: string): { readonly from: string; readonly to: string } | undefined {
  if (/^\d{4}$/.test(period)) return { from: `${period}-01-01`, to: `${period}-12-31` };
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(period)) return undefined;
  const { daysInMonth } = Temporal.PlainYearMonth.from(period);
  return { from: `${period}-01`, to: `${period}-${daysInMonth}` };
}

/** The first and the last date of a range in epoch seconds; undefined if the range is not made of whole store days. */
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
 * The instant of a local time, in epoch seconds; `minutes` are after midnight. If a clock change skips the local time, adds the
 * skipped time. If a local time occurs twice, returns the first. Throws a RangeError for an invalid date.
 */
export function instantOf(date: string, minutes: number, timeZone: string): number {
  const plainTime = Temporal.PlainTime.from({ hour: Math.floor(minutes / 60), minute: minutes % 60 });
  return Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime }).epochMilliseconds / 1000;
}

/** The local date and the local time (`HH:MM`) of an instant in epoch seconds. */
export function clockAt(at: number, timeZone: string): { readonly date: string; readonly time: string } {
  const shown = Temporal.Instant.fromEpochMilliseconds(at * 1000).toZonedDateTimeISO(timeZone);
  return { date: shown.toPlainDate().toString(), time: shown.toPlainTime().toString({ smallestUnit: 'minute' }) };
}

/** Monday and Sunday of the week of a date. */
export function weekOf(date: string): { readonly from: string; readonly to: string } {
  const monday = addDays(date, 1 - Temporal.PlainDate.from(date).dayOfWeek);
  return { from: monday, to: addDays(monday, 6) };
}

/**
 * The rules after a change. `rule` applies to all days from `date` on; if `date` is undefined, it applies to all days. Drops
 * the rules that begin after `date`.
 */
export function replaceRule(rules: DayRules, rule: DayRule, date: string | undefined): DayRules {
  if (date === undefined) return always(rule);
  const at = startOf(Temporal.PlainDate.from(date), rules);
  const earlier = rules.filter(({ since }) => since === null || since.date < date);
  return [...earlier, { ...rule, since: { date, at } }];
}

/**
 * Whether this machine knows the time zone. Returns false for an offset such as +02:00, because an offset has no clock changes.
 */
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

/** The rule that decides when the day of a date, `YYYY-MM-DD`, begins. */
export function ruleOf(date: string, rules: DayRules): DayRulePeriod {
  return periodOf(rules, (begun) => begun.date <= date);
}

/** The newest of the rules that have begun. `hasBegun` says whether a rule has begun. */
function periodOf(rules: DayRules, hasBegun: (since: { date: string; at: number }) => boolean): DayRulePeriod {
  const period = rules.findLast(({ since }) => since === null || hasBegun(since));
  if (period === undefined) throw new Error('an administration has no rule for its days');
  return period;
}

/**
 * A quarter hour in seconds. The start of a day is rounded down to a quarter hour, because records are counted by quarter
 * hours. Only historical zone offsets need the rounding.
 */
const QUARTER = 900;

/** Start of the day in epoch seconds. Clock changes apply as in `instantOf`. */
function startOf(date: Temporal.PlainDate, rules: DayRules): number {
  const text = date.toString();
  const { timeZone, dayStartsAt, since } = ruleOf(text, rules);
  if (since?.date === text) return since.at;
  const start = startByRule(text, dayStartsAt, timeZone);
  // The first day of a rule begins at `since.at`. `Math.max` prevents that a later day begins before it.
  return since === null ? start : Math.max(start, since.at);
}

/** Starts that were calculated before, because a year has 366 and each takes about 20 µs. */
const knownStarts = new Map<string, number>();
const MAX_KNOWN_STARTS = 5000;

function startByRule(date: string, dayStartsAt: number, timeZone: string): number {
  const key = `${date} ${dayStartsAt} ${timeZone}`;
  const known = knownStarts.get(key);
  if (known !== undefined) return known;
  const start = Math.floor(instantOf(date, dayStartsAt, timeZone) / QUARTER) * QUARTER;
  if (knownStarts.size >= MAX_KNOWN_STARTS) knownStarts.clear();
  knownStarts.set(key, start);
  return start;
}
