// Decides which store days are settled: nobody expects another change of them. Only these days are archived.

import type { DaySummary } from '../contract/days.ts';
import { addDays } from '../lib/calendar.ts';
import type { Store } from '../store/store.ts';
import type { Days } from './days.ts';
import { findJudgedDate } from './facts.ts';

/** A settled day, and the time of its signature in epoch milliseconds. */
export type SettledDay = Pick<DaySummary, 'date' | 'from' | 'to'> & { readonly signedAt: number };

const DAYS_PER_QUERY = 366;

/**
 * Returns the settled day; undefined if the day is not settled. A day is settled if its verdict is complete and final, and a person
 * has signed exactly this state.
 */
export function asSettled({ date, from, to, verdict, isProvisional, signOff }: DaySummary): SettledDay | undefined {
  const isSettled = verdict === 'complete' && !isProvisional && signOff !== null && !signOff.isReopened;
  return isSettled ? { date, from, to, signedAt: signOff.at } : undefined;
}

/** Lists the settled days of a journal before a date, in date order. */
export async function* listSettled(
  parts: { readonly store: Store; readonly days: Pick<Days, 'list'> },
  journalId: number,
  before: string,
): AsyncGenerator<SettledDay> {
  const last = addDays(before, -1);
  let start = await findJudgedDate(parts.store, journalId);
  while (start !== undefined && start <= last) {
    const end = addDays(start, DAYS_PER_QUERY - 1);
    const view = await parts.days.list(journalId, start, end < last ? end : last);
    for (const day of view?.days ?? []) {
      const settled = asSettled(day);
      if (settled !== undefined) yield settled;
    }
    start = await findJudgedDate(parts.store, journalId, addDays(end, 1));
  }
}
