import type { JournalView } from '../../server/contract/setup.ts';
import { storeDayAt } from '../../server/store-day.ts';

/** The store day that it is now, `YYYY-MM-DD`. */
export function todayOf({ dayRules }: Pick<JournalView, 'dayRules'>): string {
  return storeDayAt(Date.now(), dayRules).date;
}
