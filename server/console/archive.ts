// The route of the archive: how many bodies are archived, and where.

import type { ConsoleParts } from './parts.ts';
import { assertNoQuery } from './request.ts';
import type { Routes } from './rights.ts';

export function bindArchive(routes: Routes, { store }: ConsoleParts): void {
  routes.forClerks.get('/api/archive', async (req, res) => {
    assertNoQuery(req);
    res.json(await store.archive.readSummary());
  });
}
