// Parses instants in ISO 8601: in UTC or with an offset, with or without a fraction. Strict, because Date.parse accepts
// 30 February, 24:00:00 and a missing zone. Records use whole seconds; comparisons use exact instants.

/** An exact instant. */
export interface ExactInstant {
  /** Epoch seconds, rounded down. */
  readonly seconds: number;
  /** The digits of the fraction of a second, without zeros at the end. */
  readonly fraction: string;
}

/** Maximum digits of a fraction, because answers repeat the text. No clock has more digits. */
const MAX_FRACTION_DIGITS = 30;
const FORM = new RegExp(`^(.{19})(?:\\.(\\d{1,${MAX_FRACTION_DIGITS}}))?(Z|[+-]\\d{2}(?::?\\d{2})?)?$`);
/** Maximum offset from UTC; no place on Earth has a larger one. */
const MAX_OFFSET_MINUTES = 14 * 60;

/**
 * Reads `YYYY-MM-DDTHH:MM:SS` with an optional fraction, then `Z` or an offset (`+01:00`, `+0100`, `+01`). Returns undefined if
 * the text has another form. Also returns undefined for an instant that does not exist, such as 24:00, a leap second, or a year
 * before 0000 in UTC.
 */
export function readInstant(text: string): ExactInstant | undefined {
  return read(text, false);
}

/** Like `readInstant`, but a missing zone means UTC (docs/interface.md#query). */
export function readBound(text: string): ExactInstant | undefined {
  return read(text, true);
}

function read(text: string, mayLackZone: boolean): ExactInstant | undefined {
  // A fast path for the form that almost every text has. The pattern below is slower.
  if (text.length === 20 && text[19] === 'Z') {
    const seconds = parseSeconds(text);
    return seconds === undefined ? undefined : { seconds, fraction: '' };
  }
  const [, local, digitsAfter = '', zone] = FORM.exec(text) ?? [];
  if (local === undefined || (zone === undefined && !mayLackZone)) return undefined;
  const localSeconds = parseSeconds(local);
  const offset = zone === undefined || zone === 'Z' ? 0 : parseOffset(zone);
  if (localSeconds === undefined || offset === undefined) return undefined;
  const seconds = localSeconds - offset;
  return seconds < FIRST_SECOND || seconds > LAST_SECOND
    ? undefined
    : { seconds, fraction: digitsAfter.replace(/0+$/, '') };
}

/** Epoch seconds of an instant, rounded down. Undefined if `readInstant` returns undefined. */
export function parseInstant(text: string): number | undefined {
  return readInstant(text)?.seconds;
}

/** Epoch seconds of an instant, rounded down. A missing zone means UTC. Undefined if `readBound` returns undefined. */
export function parseBound(text: string): number | undefined {
  return readBound(text)?.seconds;
}

/**
 * Rounds an instant up to a whole second. As a bound, the rounded instant selects the same records, because records have whole
 * seconds.
 */
export function roundUp({ seconds, fraction }: ExactInstant): number {
  return fraction === '' ? seconds : seconds + 1;
}

/**
 * Writes an instant in one canonical form, so that equal instants have equal texts. Undefined if `readInstant` returns
 * undefined.
 */
export function canonicalInstant(text: string): string | undefined {
  const instant = readInstant(text);
  return instant && `${instant.seconds}.${instant.fraction}`;
}

/** Compares two instants, for sorting by time. */
export function compareInstants(a: ExactInstant, b: ExactInstant): number {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  if (a.fraction === b.fraction) return 0;
  return a.fraction < b.fraction ? -1 : 1;
}

/** Puts back the `+` of an offset, because the decoding of a query string turns it into a space. */
export function restorePlus(text: string): string {
  return text.replace(/ (\d{2}(?::?\d{2})?)$/, '+$1');
}

/** Seconds of an offset; undefined when it is invalid. */
function parseOffset(zone: string): number | undefined {
  const [hours, minutes] = [digits(zone, 1, 3), zone.length > 3 ? digits(zone, zone.length - 2, zone.length) : 0];
  if (minutes > 59 || hours * 60 + minutes > MAX_OFFSET_MINUTES) return undefined;
  return (zone.startsWith('-') ? -60 : 60) * (hours * 60 + minutes);
}

/** Epoch seconds of the first 19 characters, `YYYY-MM-DDTHH:MM:SS`, in UTC. */
function parseSeconds(text: string): number | undefined {
  const hasMarks = text[4] === '-' && text[7] === '-' && text[10] === 'T' && text[13] === ':' && text[16] === ':';
  if (!hasMarks) return undefined;
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)];
  // If a part is not a number, it is NaN. Every comparison with NaN is false, so such a text is also refused here.
  const isReal =
    year >= 0 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!isReal) return undefined;
  // Date.UTC reads a year below 100 as 19xx. So 400 years are added before the call and subtracted after it. Any 400 years have
  // the same length.
  return Date.UTC(year + 400, month - 1, day, hour, minute, second) / 1000 - SECONDS_IN_400_YEARS;
}

/** Parses a text that a schema has validated before. Throws if the text is invalid nevertheless. */
export function getInstant(text: string, parse: (text: string) => ExactInstant | undefined): ExactInstant {
  const instant = parse(text);
  if (instant === undefined) throw new Error('a schema accepted an invalid instant');
  return instant;
}

/** The number in a part of a text; NaN if it has other characters than digits. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

const SECONDS_IN_400_YEARS = 146_097 * 86_400;
/** The first second of the year 0000 and the last second of the year 9999, in UTC. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** The start of a UTC day and of the next day, in epoch seconds. Undefined for an invalid date. */
export function dayRange(day: string): { readonly from: number; readonly to: number } | undefined {
  const from = parseInstant(`${day}T00:00:00Z`);
  return from === undefined ? undefined : { from, to: from + 86_400 };
}

/** Formats `YYYY-MM-DDTHH:MM:SS` without a zone, as in the answer to a query (docs/interface.md#query). */
export function formatInstant(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().slice(0, 19);
}

/** `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export function formatMilliseconds(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
