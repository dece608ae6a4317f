// Route of Today: the current store day of a journal.

import type { OverviewView } from '../contract/overview.ts';
import { storeDayAt } from '../store-day.ts';
import { lanesOfJournal, readJournal } from './journal.ts';
import type { ConsoleParts } from './parts.ts';
import type { Routes } from './rights.ts';

export function bindOverview(routes: Routes, { store, clock, health }: ConsoleParts): void {
  routes.forClerks.get('/api/overview', async (req, res) => {
    const { journalId, administration } = readJournal(req, store);
    const now = clock.now();
    const { dayRules, timeZone } = administration;
    const day = storeDayAt(now, dayRules);
    const query = { journalId, day, timeZone, now };
    const [overview, lanes, onlyHere] = await Promise.all([
      store.glance.getOverview(query),
      store.outbox.listLaneStatus(),
      store.backups.countOnlyHere(journalId),
    ]);
    const { machine } = health();
    // If the clock is wrong, every till could seem to have been silent for years. So no till is shown as silent.
    const tills = machine.clock === null ? overview.tills : overview.tills.map((till) => ({ ...till, silence: null }));
    res.json({
      now,
      day,
      ...overview,
      tills,
      lanes: lanesOfJournal(lanes, journalId),
      trouble: store.health.trouble() ?? null,
      machine,
      onlyHere,
    } satisfies OverviewView);
  });
}
