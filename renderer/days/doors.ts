// Which records each number of a day counts: the search that opens exactly those. Pure.

import type { DayRow, StoreDay } from '../../server/contract.ts';
import type { RecordSearch } from '../app/search.ts';

type Range = Pick<StoreDay, 'from' | 'to'>;

/** All records sold on the day. */
export function recordsOf({ from, to }: Range): RecordSearch {
  return { from, to };
}

/** What the day is judged by: the accepted ones of the current interface. */
export function salesOf(day: Range, by: Pick<DayRow, 'interface'> = { interface: 'current' }): RecordSearch {
  return { ...recordsOf(day), status: 'NEW', interface: by.interface };
}

/** Of a type, of a till, or of both; null is any. */
export function salesFor(
  day: Range,
  { type, tillId }: { readonly type: string | null; readonly tillId: number | null },
): RecordSearch {
  return {
    ...salesOf(day),
    ...(type !== null && { type }),
    ...(tillId !== null && { till: tillId }),
  };
}
