// What was not taken, and why.

import type { Express } from 'express';
import { z } from 'zod';

import type { RefusalGroup } from '../contract.ts';
import { administrationOfJournal } from './journal.ts';
import type { ConsoleParts } from './parts.ts';
import { idText, readQuery } from './request.ts';

const MOST_GROUPS = 200;
const query = z.strictObject({ journal: idText });

export function bindRefusals(app: Express, { store }: ConsoleParts): void {
  app.get('/api/refusals', async (req, res) => {
    const { journal } = readQuery(req, query);
    administrationOfJournal(store, journal);
    res.json((await store.groupRefusals(journal, MOST_GROUPS)) satisfies RefusalGroup[]);
  });
}
