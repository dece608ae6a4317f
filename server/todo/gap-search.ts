// Searches store days for skipped numbers. Each step searches only a few days, because reading all ids of a day is expensive.

import { addDays } from '../lib/calendar.ts';
import type { Days } from '../reconcile/days.ts';
import type { FoundTask, StoredTask } from '../store/tasks/ledger.ts';
import { gapFacts } from './facts.ts';

/** Number of days before today that are searched. */
const SEARCHED_DAYS = 31;
/** Maximum days in one step. */
const DAYS_PER_STEP = 2;

export interface GapSearch {
  /** Lists the skipped numbers of all days that were searched. */
  found(): FoundTask[];
  /** Whether all ids of a day were searched. A day with too many ids is never searched completely. */
  isSearched(journalId: number | null, date: string): boolean;
  /** Searches a few finished days that have changed since their last search. Returns whether it searched any. */
  step(journalIds: readonly number[], stored: readonly StoredTask[]): Promise<boolean>;
}

export function openGapSearch(days: Pick<Days, 'list' | 'listGaps'>): GapSearch {
  /**
   * The last search of each journal and date. `sales` is a text with the number of sales at the time of the search. `found` is
   * what the search found. It is undefined if the day had too many ids.
   */
  const searched = new Map<string, { readonly sales: string; readonly found: readonly FoundTask[] | undefined }>();
  const nameOf = (journalId: number | null, date: string): string => `${journalId} ${date}`;

  /**
   * Lists the finished days to search, newest first. `sales` is a text that changes with the sales of the day and of the day
   * before.
   */
  async function listDue(journalId: number, stored: readonly StoredTask[]) {
    const today = (await days.list(journalId, '2000-01-01', '2000-01-01'))?.today;
    if (today === undefined) return [];
    const view = await days.list(journalId, addDays(today, -SEARCHED_DAYS - 1), today);
    const recent = (view?.days ?? [])
      .filter(({ date }) => date < today)
      .map(({ date, here }, i, all) => ({ date, sales: `${here} ${all[i - 1]?.here ?? ''}` }))
      .slice(1);
    const old = stored.flatMap(({ fact, journalId: of }) =>
      fact.kind === 'numbers_skipped' && of === journalId && recent.every(({ date }) => date !== fact.date)
        ? [{ date: fact.date, sales: 'old' }]
        : [],
    );
    return [...recent.toReversed(), ...old].filter(
      ({ date, sales }) => searched.get(nameOf(journalId, date))?.sales !== sales,
    );
  }

  return {
    found: () => [...searched.values()].flatMap(({ found = [] }) => found),
    isSearched: (journalId, date) => searched.get(nameOf(journalId, date))?.found !== undefined,
    async step(journalIds, stored) {
      let left = DAYS_PER_STEP;
      for (const journalId of journalIds)
        for (const { date, sales } of (await listDue(journalId, stored)).slice(0, left)) {
          const gaps = await days.listGaps(journalId, date);
          if (gaps === undefined) continue;
          const found = gaps.isPartial ? undefined : gapFacts(journalId, date, gaps);
          searched.set(nameOf(journalId, date), { sales, found });
          left -= 1;
        }
      return left < DAYS_PER_STEP;
    },
  };
}
