// Instants as the interface writes them: UTC, whole seconds. Strict, because Date.parse takes 30 February, 24:00:00
// and a missing zone.

/**
 * Epoch seconds of `YYYY-MM-DDTHH:MM:SSZ`, or undefined when the text is not of that form or no such instant exists.
 * `zone` says whether the trailing Z must be there or may be left out (specification 2.1 and 4.2).
 */
export function parseInstant(text: string, zone: 'required' | 'optional' = 'required'): number | undefined {
  const hasForm = text.length === 20 ? text[19] === 'Z' : text.length === 19 && zone === 'optional';
  const hasMarks = text[4] === '-' && text[7] === '-' && text[10] === 'T' && text[13] === ':' && text[16] === ':';
  if (!hasForm || !hasMarks) return undefined;
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)];
  // A comparison with NaN is false, so whatever is not made of digits fails here too.
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
  // Date.UTC takes years below 100 as 19xx; 400 years are a whole number of days.
  return Date.UTC(year + 400, month - 1, day, hour, minute, second) / 1000 - SECONDS_IN_400_YEARS;
}

/** As parseInstant, with or without the trailing Z. */
export function parseBound(text: string): number | undefined {
  return parseInstant(text, 'optional');
}

/** Epoch seconds of an instant whose seconds may have a fraction of up to nine digits, which is cut off; else as parseInstant. */
export function parseFractionalInstant(text: string): number | undefined {
  return parseInstant(text.replace(/\.\d{1,9}Z$/, 'Z'));
}

/** Of a text that a schema found to be an instant, by the function it was found with. */
export function getInstant(text: string, parse: (text: string) => number | undefined): number {
  const instant = parse(text);
  if (instant === undefined) throw new Error('a schema took an instant that is none');
  return instant;
}

/** The number that the digits in a part of a text make, or NaN when anything else is in it. */
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

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** The instants of a day in UTC, `YYYY-MM-DD`, as a half-open range of epoch seconds; undefined when there is no such day. */
export function dayRange(day: string): { readonly from: number; readonly to: number } | undefined {
  const from = parseInstant(`${day}T00:00:00Z`);
  return from === undefined ? undefined : { from, to: from + 86_400 };
}

/** `YYYY-MM-DDTHH:MM:SS` without a zone suffix, as the query endpoint shows it (specification 2.1). */
export function formatInstant(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().slice(0, 19);
}

/** `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export function formatMilliseconds(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
