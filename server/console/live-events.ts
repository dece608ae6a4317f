// Where windows follow what changes.

import type { Express } from 'express';

import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery } from './request.ts';

export function bindLive(app: Express, { live }: ConsoleParts): void {
  app.get('/api/live', (req, res) => {
    assertNoQuery(req);
    live.follow(res, sessionOf(res));
  });
}
