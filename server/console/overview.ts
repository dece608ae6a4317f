// Today: what is true of a journal's store day.

import type { Express } from 'express';
import { z } from 'zod';

import type { OverviewView } from '../contract.ts';
import { storeDayAt } from '../store-day.ts';
import { administrationOfJournal, dayRuleOf, lanesOfJournal } from './journal.ts';
import type { ConsoleParts } from './parts.ts';
import { idText, readQuery } from './request.ts';

const query = z.strictObject({ journal: idText });

export function bindOverview(app: Express, { store, clock }: ConsoleParts): void {
  app.get('/api/overview', async (req, res) => {
    const { journal: journalId } = readQuery(req, query);
    const now = clock.now();
    const day = storeDayAt(now, dayRuleOf(administrationOfJournal(store, journalId)));
    const [overview, lanes] = await Promise.all([store.getOverview({ journalId, day, now }), store.listLaneStatus()]);
    res.json({
      now,
      day,
      ...overview,
      lanes: lanesOfJournal(lanes, journalId),
      trouble: store.trouble() ?? null,
    } satisfies OverviewView);
  });
}
