// Which records each number of a day counts: the search that opens exactly those. Pure.

import type { DayRow, StoreDay } from '../../server/contract/days.ts';
import type { RecordSearch } from '../model/search-parameters.ts';

type Range = Pick<StoreDay, 'from' | 'to'>;

/** All records sold on the day. */
export function recordsOf({ from, to }: Range): RecordSearch {
  return { from, to };
}

/** What the day is judged by: the accepted ones of both interfaces, or of one. */
export function salesOf(day: Range, by: Partial<Pick<DayRow, 'interface'>> = {}): RecordSearch {
  return { ...recordsOf(day), status: 'NEW', ...by };
}

/** Of a type and a till of the current interface, or of all where both are null. */
export function salesFor(
  day: Range,
  { type, tillId }: { readonly type: string | null; readonly tillId: number | null },
): RecordSearch {
  return {
    ...salesOf(day, type === null && tillId === null ? {} : { interface: 'current' }),
    ...(type !== null && { type }),
    ...(tillId !== null && { till: tillId }),
  };
}
