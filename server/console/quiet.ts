// The route that the desktop app calls before an update. It says whether the gateway may stop for a minute.

import type { QuietView } from '../contract/desktop.ts';
import type { ConsoleParts } from './parts.ts';
import { assertNoQuery } from './request.ts';
import type { Routes } from './rights.ts';

export function bindQuiet(routes: Routes, { store }: ConsoleParts): void {
  routes.forClerks.get('/api/quiet', async (req, res) => {
    assertNoQuery(req);
    res.json({ isQuiet: await store.glance.isQuiet() } satisfies QuietView);
  });
}
