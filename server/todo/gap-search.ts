// Searches store days for skipped numbers. Each step searches only a few days, because reading all ids of a day is expensive.

import type { DaySummary } from '../contract/days.ts';
import type { GapsView } from '../contract/gaps.ts';
import { addDays } from '../lib/calendar.ts';
import type { Days } from '../reconcile/days.ts';
import { MAX_CLOSED_DAYS } from '../reconcile/gap.ts';
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
  /** Searches a few finished days that have changed since their last search. */
  step(journalIds: readonly number[], stored: readonly StoredTask[]): Promise<GapStep>;
}

/**
 * The result of a step: no day was due, or days were searched. `tasks` means that one of these days has skipped numbers, or a
 * stored task for them.
 */
export type GapStep = 'nothing due' | 'no tasks' | 'tasks';

const NO_GAPS: GapsView = { sequences: [], isPartial: false };

/** A day to search. */
interface Due {
  readonly date: string;
  /** A gap is a fact of the day after it that has sales. So a day without sales has no such fact, and its ids are not read. */
  readonly hasSales: boolean;
  /** A text that changes with the sales of the day and of the nearest finished days with sales. */
  readonly sales: string;
  /**
   * A text that changes when a missing number may have arrived: at a new date and, for a recent day, with a sale on any recent
   * finished day. Only days with skipped numbers are searched again for it. Sales of today are left out, because each of them
   * would start a search.
   */
  readonly anywhere: string;
}

/** The last search of a day. `found` is undefined if the day had too many ids. */
type Search = Omit<Due, 'date' | 'hasSales'> & { readonly found: readonly FoundTask[] | undefined };

export function openGapSearch(days: Pick<Days, 'list' | 'listGaps'>): GapSearch {
  const searched = new Map<string, Search>();
  const nameOf = (journalId: number | null, date: string): string => `${journalId} ${date}`;

  /**
   * Lists the finished days to search: first those never searched, newest first, then the others in the order of their last
   * search. So each day has its turn while late sales arrive.
   */
  async function listDue(journalId: number, stored: readonly StoredTask[]): Promise<Due[]> {
    const today = (await days.list(journalId, '2000-01-01', '2000-01-01'))?.today;
    if (today === undefined) return [];
    const first = addDays(today, -SEARCHED_DAYS);
    const view = await days.list(journalId, addDays(first, -MAX_CLOSED_DAYS), today);
    const over = (view?.days ?? []).filter(({ date }) => date < today);
    const open = over.filter(({ here, earlier }) => here > earlier);
    const anywhere = textOf(over);
    const recent = over
      .filter(({ date }) => date >= first)
      .map((day) => ({
        date: day.date,
        hasSales: day.here > 0,
        // the days whose ids a search of this day reads
        sales: textOf([open.findLast(({ date }) => date < day.date), day, open.find(({ date }) => date > day.date)]),
        anywhere,
      }));
    const old = stored.flatMap(({ fact, journalId: of }) =>
      fact.kind === 'numbers_skipped' && of === journalId && recent.every(({ date }) => date !== fact.date)
        ? [{ date: fact.date, hasSales: true, sales: 'old', anywhere: today }]
        : [],
    );
    const order = [...searched.keys()];
    const turnOf = ({ date }: Due): number => order.indexOf(nameOf(journalId, date));
    return [...recent.toReversed(), ...old].filter(isDue).toSorted((one, other) => turnOf(one) - turnOf(other));

    function isDue(day: Due): boolean {
      const last = searched.get(nameOf(journalId, day.date));
      if (last?.sales !== day.sales) return true;
      return last.found !== undefined && last.found.length > 0 && last.anywhere !== day.anywhere;
    }
  }

  return {
    found: () => [...searched.values()].flatMap(({ found = [] }) => found),
    isSearched: (journalId, date) => searched.get(nameOf(journalId, date))?.found !== undefined,
    async step(journalIds, stored) {
      let left = DAYS_PER_STEP;
      let hasTasks = false;
      for (const journalId of journalIds)
        for (const { date, hasSales, ...due } of await listDue(journalId, stored)) {
          if (hasSales && left === 0) continue;
          const gaps = hasSales ? await days.listGaps(journalId, date) : NO_GAPS;
          if (gaps === undefined) continue;
          const found = gaps.isPartial ? undefined : gapFacts(journalId, date, gaps);
          const name = nameOf(journalId, date);
          searched.delete(name); // so that the map has the days in the order of their last search
          searched.set(name, { ...due, found });
          if (hasSales) left -= 1;
          hasTasks ||= found === undefined || found.length > 0 || stored.some(isTaskOf(journalId, date));
        }
      if (hasTasks) return 'tasks';
      return left === DAYS_PER_STEP ? 'nothing due' : 'no tasks';
    },
  };
}

function isTaskOf(journalId: number, date: string): (task: StoredTask) => boolean {
  return (task) => task.fact.kind === 'numbers_skipped' && task.journalId === journalId && task.fact.date === date;
}

/** Includes the start of each day, because a new cut-off can move sales to another day without changing the counts. */
function textOf(days: readonly (DaySummary | undefined)[]): string {
  return days.map((day) => (day === undefined ? '' : `${day.from} ${day.here}`)).join();
}
