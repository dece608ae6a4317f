// Route of the event stream that tells open windows what has changed.

import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery } from './request.ts';
import type { Routes } from './rights.ts';

export function bindLive(routes: Routes, { live }: ConsoleParts): void {
  routes.forClerks.get('/api/live', (req, res) => {
    assertNoQuery(req);
    live.follow(res, sessionOf(res));
  });
}
