// Calendar dates as YYYY-MM-DD, without a time or zone.

const DAY_MS = 24 * 60 * 60 * 1000;

/** Adds days to a date; negative numbers subtract. Throws a RangeError for an invalid date. */
export function addDays(date: string, days: number): string {
  const start = Date.parse(`${date}T00:00:00Z`);
  if (isoDate(start) !== date) throw new RangeError(`${date} is not a date`);
  return isoDate(start + days * DAY_MS);
}

/** The UTC date of an instant. As in ISO 8601, a year beyond 9999 has six digits and a sign. */
function isoDate(epochMs: number): string {
  const [date = ''] = new Date(epochMs).toISOString().split('T');
  return date;
}

/** The IANA name of this machine's time zone. */
export function machineZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
