// Exports as such; what each export contains is tested beside its route.

import { PassThrough } from 'node:stream';

import type { Response } from 'express';
import { expect, test } from 'vitest';

import { openExports } from '../../../server/console/export.ts';

test('other calls get turns while a long file is made', async () => {
  const send = openExports({ error() {} });
  const client = new PassThrough();
  client.resume();
  const res = Object.assign(client, {
    locals: { session: { person: 'Ann', ended: new AbortController().signal } },
    attachment: () => res,
    type: () => res,
  }) as unknown as Response;
  let turns = 0;
  let isSent = false;
  const countTurns = (): void => {
    turns += 1;
    if (!isSent) setImmediate(countTurns);
  };
  countTurns();
  const rows = Array.from({ length: 50_000 }, (_, n) => n);
  await send(res, () => Promise.resolve({ name: ['a'], columns: { n: String }, rows, format: 'comma' }));
  isSent = true;
  expect(turns).toBeGreaterThan(rows.length / 1000);
});
