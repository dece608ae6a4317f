// The journals there are to choose from.

import type { Express } from 'express';

import type { JournalView } from '../contract/setup.ts';
import type { ConsoleParts } from './parts.ts';
import { assertNoQuery } from './request.ts';

export function bindJournals(app: Express, { store }: ConsoleParts): void {
  app.get('/api/journals', async (req, res) => {
    assertNoQuery(req);
    res.json((await store.setup.listJournals()) satisfies JournalView[]);
  });
}
