// Whether the gateway may be stopped for a minute: what the desktop app asks before it updates itself.

import type { Express } from 'express';

import type { QuietView } from '../contract/desktop.ts';
import type { ConsoleParts } from './parts.ts';
import { assertNoQuery } from './request.ts';

export function bindQuiet(app: Express, { store }: ConsoleParts): void {
  app.get('/api/quiet', async (req, res) => {
    assertNoQuery(req);
    res.json({ isQuiet: await store.glance.isQuiet() } satisfies QuietView);
  });
}
