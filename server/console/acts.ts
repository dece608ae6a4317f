// Routes of Activity: who did what, and when.

import { z } from 'zod';

import type { ActEntry } from '../contract/acts.ts';
import type { ConsoleParts } from './parts.ts';
import { idText, numberText, readQuery } from './request.ts';
import type { Routes } from './rights.ts';

const query = z.strictObject({ limit: numberText(1, 500).default(100), before: idText.optional() });

export function bindActs(routes: Routes, { store }: ConsoleParts): void {
  routes.forClerks.get('/api/acts', async (req, res) => {
    const { limit, before } = readQuery(req, query);
    res.json((await store.setup.listActs({ limit, beforeId: before })) satisfies ActEntry[]);
  });
}
