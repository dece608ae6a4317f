// The search parameters behind each number of a day: they find exactly the records that the number counts. Pure.

import type { DayRow, StoreDay } from '../../server/contract/days.ts';
import type { RecordSearch } from '../model/search-parameters.ts';

type Range = Pick<StoreDay, 'from' | 'to'>;

/** All records sold on the day. */
export function recordsOf({ from, to }: Range): RecordSearch {
  return { from, to };
}

/** The records that the verdict counts: the accepted records of both interfaces, or of one interface. */
export function salesOf(day: Range, by: Partial<Pick<DayRow, 'interface'>> = {}): RecordSearch {
  return { ...recordsOf(day), status: 'NEW', ...by };
}

/** The sales of a type and a till on the current interface; all sales if both are null. */
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
