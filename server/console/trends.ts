// The route of the screen Trends. It returns the sales of a range of store days, by till and hour.

import { z } from 'zod';

import { MAX_TREND_DAYS, type TrendsView } from '../contract/trends.ts';
import { addDays } from '../lib/calendar.ts';
import { listStoreDays, storeDayAt } from '../store-day.ts';
import { administrationOfJournal, lanesOfJournal } from './journal.ts';
import type { ConsoleParts } from './parts.ts';
import { dateText, idText, readQuery } from './request.ts';
import type { Routes } from './rights.ts';

const trendsQuery = z
  .strictObject({ journal: idText, from: dateText, to: dateText })
  .refine(({ from, to }) => from <= to && to < addDays(from, MAX_TREND_DAYS), {
    path: ['to'],
    error: `must not be before from, and the range may have at most ${MAX_TREND_DAYS} days`,
    params: { code: 'range' },
  });

export function bindTrends(routes: Routes, { store, clock }: ConsoleParts): void {
  routes.forClerks.get('/api/trends', async (req, res) => {
    const { journal: journalId, from, to } = readQuery(req, trendsQuery);
    const { dayRules, timeZone } = administrationOfJournal(store, journalId);
    const days = listStoreDays(from, to, dayRules);
    const now = clock.now();
    const [trends, lanes, firstAt] = await Promise.all([
      store.glance.getTrends({ journalId, days, timeZone }),
      store.outbox.listLaneStatus(),
      store.days.findFirstSale(journalId),
    ]);
    res.json({
      now,
      today: storeDayAt(now, dayRules).date,
      first: firstAt === undefined ? null : storeDayAt(firstAt * 1000, dayRules).date,
      days,
      ...trends,
      lanes: lanesOfJournal(lanes, journalId)
        .filter(({ url }) => url !== null)
        .map(({ id, interface: by }) => ({ id, interface: by })),
    } satisfies TrendsView);
  });
}
