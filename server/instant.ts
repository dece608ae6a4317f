// Instants as the interface writes them: UTC, whole seconds. Strict, because Date.parse takes 30 February, 24:00:00
// and a missing zone.

const FORM = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)$/;

/**
 * Epoch seconds of `YYYY-MM-DDTHH:MM:SSZ`, or undefined when the text is not of that form or no such instant exists.
 * `zone` says whether the trailing Z must be there or may be left out (specification 2.1 and 4.2).
 */
export function parseInstant(text: string, zone: 'required' | 'optional' = 'required'): number | undefined {
  const hasZone = text.endsWith('Z');
  if (!hasZone && zone === 'required') return undefined;
  const match = FORM.exec(hasZone ? text.slice(0, -1) : text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const isReal = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) && hour < 24 && minute < 60 && second < 60;
  if (!isReal) return undefined;
  // Date.UTC takes years below 100 as 19xx; 400 years are a whole number of days.
  return Date.UTC(year + 400, month - 1, day, hour, minute, second) / 1000 - SECONDS_IN_400_YEARS;
}

const SECONDS_IN_400_YEARS = 146_097 * 86_400;

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** `YYYY-MM-DDTHH:MM:SS` without a zone suffix, as the query endpoint shows it (specification 2.1). */
export function formatInstant(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString().slice(0, 19);
}

/** `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export function formatMilliseconds(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
