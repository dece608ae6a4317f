// Where windows follow what changes.

import type { Express } from 'express';

import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery } from './request.ts';

export function bindLive(app: Express, { live, store }: ConsoleParts): void {
  app.get('/api/live', async (req, res) => {
    assertNoQuery(req);
    const newest = await store.getNewestRecordId();
    live.follow(res, sessionOf(res).ended, newest);
  });
}
