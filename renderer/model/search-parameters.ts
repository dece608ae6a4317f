// The parameters in the address: the journal on every screen, and the filter of a list. Unknown values are left out.

import { DELIVERY_STATES, INTERFACES, STATUSES } from '../../server/contract/codes.ts';
import type { RecordQuery } from '../../server/contract/records.ts';
import { DAY_STATES, type DayState } from './day-state.ts';

/** All values stay texts: as a number, an id of digits would lose leading zeros or become 1e+21. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (['string', 'number', 'boolean'].includes(typeof value)) parameters.set(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

export interface JournalSearch {
  readonly journal?: number;
}

export function parseJournalSearch(search: Record<string, unknown>): JournalSearch {
  const journal = Number(search['journal']);
  return Number.isSafeInteger(journal) && journal > 0 ? { journal } : {};
}

/** `another` is true if the first run sets up an additional store. */
export interface WelcomeSearch {
  readonly another?: boolean;
}

export function parseWelcomeSearch(search: Record<string, unknown>): WelcomeSearch {
  return String(search['another']) === 'true' ? { another: true } : {};
}

/** The key to certify. */
export interface CertifySearch {
  readonly key?: number;
}

export function parseCertifySearch(search: Record<string, unknown>): CertifySearch {
  return withoutUndefined({ key: wholeIn(search, 'key') });
}

/** `from` is the start of the list in epoch seconds. */
export interface RefusedSearch {
  readonly from?: number;
}

export function parseRefusedSearch(search: Record<string, unknown>): RefusedSearch {
  return withoutUndefined({ from: wholeIn(search, 'from') });
}

/** The month (YYYY-MM) or year in the calendar, and the state of the highlighted days. */
export interface DaysSearch {
  readonly month?: string;
  readonly year?: number;
  readonly show?: DayState;
}

export function parseDaysSearch(search: Record<string, unknown>): DaysSearch {
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.exec(String(search['month']))?.[0];
  const year = wholeIn(search, 'year');
  return withoutUndefined({
    month,
    year: year !== undefined && year >= 1970 && year <= 9999 ? year : undefined,
    show: DAY_STATES.find((state) => state === search['show']),
  });
}

/**
 * The URL parameters of the screen Trends. It shows the week or month that contains `date` (YYYY-MM-DD), for one till or all.
 */
export interface TrendsSearch {
  readonly unit?: 'month';
  readonly date?: string;
  readonly till?: number;
}

export function parseTrendsSearch(search: Record<string, unknown>): TrendsSearch {
  return withoutUndefined({
    unit: search['unit'] === 'month' ? ('month' as const) : undefined,
    date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.exec(String(search['date']))?.[0],
    till: wholeIn(search, 'till'),
  });
}

/** The filter of the records screen, as the API takes it. */
export type RecordSearch = Omit<RecordQuery, 'cursor' | 'limit'>;

export function parseRecordSearch(search: Record<string, unknown>): RecordSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const whole = (name: string): number | undefined => wholeIn(search, name);
  const oneOf = <Value extends string>(name: string, values: readonly Value[]): Value | undefined =>
    values.find((value) => value === search[name]);
  return withoutUndefined({
    id: text('id'),
    idEnd: text('idEnd'),
    amount: text('amount'),
    interface: oneOf('interface', INTERFACES),
    status: oneOf('status', STATUSES),
    delivery: oneOf('delivery', DELIVERY_STATES),
    type: text('type'),
    till: whole('till'),
    from: whole('from'),
    to: whole('to'),
    order: oneOf('order', ['newest', 'oldest'] as const),
  });
}

function wholeIn(search: Record<string, unknown>, name: string): number | undefined {
  const value = Number(search[name] || Number.NaN);
  return Number.isSafeInteger(value) ? value : undefined;
}

function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
