import type { JournalView } from '../../server/contract/setup.ts';
import { storeDayAt } from '../../server/store-day.ts';

/** The current store day, `YYYY-MM-DD`. */
export function todayOf({ dayRules }: Pick<JournalView, 'dayRules'>): string {
  return storeDayAt(Date.now(), dayRules).date;
}
