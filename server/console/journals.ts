// Route of the journals that a user can choose.

import type { JournalView } from '../contract/setup.ts';
import type { ConsoleParts } from './parts.ts';
import { assertNoQuery } from './request.ts';
import type { Routes } from './rights.ts';

export function bindJournals(routes: Routes, { store }: ConsoleParts): void {
  routes.forClerks.get('/api/journals', async (req, res) => {
    assertNoQuery(req);
    res.json((await store.setup.listJournals()) satisfies JournalView[]);
  });
}
