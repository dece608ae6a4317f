// What the address bar holds: on every screen whose records are looked at, which stays when going from screen to screen; on
// the records screen the filter. What is not understood is left out.

import { DELIVERY_STATES, type RecordQuery, STATUSES } from '../../server/contract.ts';

export interface JournalSearch {
  readonly journal?: number;
}

export function parseJournalSearch(search: Record<string, unknown>): JournalSearch {
  const journal = Number(search['journal']);
  return Number.isSafeInteger(journal) && journal > 0 ? { journal } : {};
}

/** The filter of the records screen; the same as the API takes. */
export type RecordSearch = Omit<RecordQuery, 'cursor' | 'limit'>;

export function parseRecordSearch(search: Record<string, unknown>): RecordSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    // The router reads an id made of digits as a number.
    return typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined;
  };
  const whole = (name: string): number | undefined => {
    const value = Number(search[name] ?? Number.NaN);
    return Number.isSafeInteger(value) ? value : undefined;
  };
  const oneOf = <Value extends string>(name: string, values: readonly Value[]): Value | undefined =>
    values.find((value) => value === search[name]);
  return withoutUndefined({
    id: text('id'),
    status: oneOf('status', STATUSES),
    delivery: oneOf('delivery', DELIVERY_STATES),
    type: text('type'),
    till: whole('till'),
    from: whole('from'),
    to: whole('to'),
    order: oneOf('order', ['newest', 'oldest'] as const),
  });
}

function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
