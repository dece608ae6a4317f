// Route of Refusals: calls that were refused, and why.

import { z } from 'zod';

import type { RefusalGroup } from '../contract/records.ts';
import { administrationOfJournal } from './journal.ts';
import type { ConsoleParts } from './parts.ts';
import { idText, readQuery, secondText } from './request.ts';
import type { Routes } from './rights.ts';

const MAX_GROUPS = 200;
const query = z.strictObject({ journal: idText, from: secondText.optional() });

export function bindRefusals(routes: Routes, { store }: ConsoleParts): void {
  routes.forClerks.get('/api/refusals', async (req, res) => {
    const { journal, from = 0 } = readQuery(req, query);
    administrationOfJournal(store, journal);
    const groups = await store.records.groupRefusals({ journalId: journal, since: from * 1000, limit: MAX_GROUPS });
    res.json(groups satisfies RefusalGroup[]);
  });
}
