// Store days: from when to when a day of the calendar is in a store's zone, and back. Clocks that change make a day of 23
// or 25 hours; a time that there is twice is the first, one that there is not is as much later as the clocks jump.

/** What says when a store's days begin. */
export interface StoreClock {
  /** IANA name. */
  readonly timeZone: string;
  /** Minutes after midnight. */
  readonly dayStartsAt: number;
}

/** The zone that this machine's clock is set to. */
export function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Epoch seconds; half-open. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

const known = new Map<string, Intl.DateTimeFormat>();
function formatFor(timeZone: string): Intl.DateTimeFormat {
  const format =
    known.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  known.set(timeZone, format);
  return format;
}

/** What the store's clocks show at an instant, as if it were UTC; both in epoch seconds. */
function shownAt(at: number, timeZone: string): number {
  const parts = new Map(
    formatFor(timeZone)
      .formatToParts(at * 1000)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) / 1000;
}

const isoDate = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** The instant, in epoch seconds, at which the store's clocks show a time of a day (YYYY-MM-DD). */
export function instantOf(date: string, minutes: number, timeZone: string): number {
  const shown = Date.parse(`${date}T00:00:00Z`) / 1000 + minutes * MINUTE;
  const offsets = [shown - DAY, shown + DAY].map((at) => shownAt(at, timeZone) - at);
  const candidates = offsets.map((offset) => shown - offset).toSorted((a, b) => a - b);
  const isShown = candidates.find((at) => shownAt(at, timeZone) === shown);
  return isShown ?? candidates.at(-1) ?? shown;
}

/** The day so many days after another one (YYYY-MM-DD). */
export function addDays(date: string, days: number): string {
  return isoDate(Date.parse(`${date}T00:00:00Z`) / 1000 + days * DAY);
}

/** A store day (YYYY-MM-DD) from its first second to that of the next. */
export function rangeOfDay(date: string, { timeZone, dayStartsAt }: StoreClock): Range {
  return { from: instantOf(date, dayStartsAt, timeZone), to: instantOf(addDays(date, 1), dayStartsAt, timeZone) };
}

/** The store day (YYYY-MM-DD) that an instant in epoch seconds is in. */
export function dayOfInstant(at: number, store: StoreClock): string {
  const date = isoDate(shownAt(at, store.timeZone));
  return at < rangeOfDay(date, store).from ? addDays(date, -1) : date;
}

/** The store day that it is now. */
export function todayOf(store: StoreClock): string {
  return dayOfInstant(Date.now() / 1000, store);
}

/** The first and the last store day of a range that is made up of whole ones. */
export function daysOfRange({ from, to }: Range, store: StoreClock): { first: string; last: string } | undefined {
  if (from >= to) return undefined;
  const first = dayOfInstant(from, store);
  const last = dayOfInstant(to - 1, store);
  return rangeOfDay(first, store).from === from && rangeOfDay(last, store).to === to ? { first, last } : undefined;
}

/** What the store's clocks show at an instant in epoch seconds: a day (YYYY-MM-DD) and a time (HH:MM). */
export function clockAt(at: number, timeZone: string): { date: string; time: string } {
  const [date = '', time = ''] = new Date(shownAt(at, timeZone) * 1000).toISOString().split('T');
  return { date, time: time.slice(0, 5) };
}
