// The tills of a journal, with their keys and their sales of the week.

import { describe, expect, test } from 'vitest';

import { arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const MONDAY = Date.UTC(2025, 9, 6) / 1000;
const DAY = 86_400;

describe.each(engines)('tills on $name', ({ makeSite }) => {
  describe('the tills of a journal', () => {
    test('are listed by label with all their keys, without tills of other journals', async () => {
      const store = await makeSite().open({ now: () => 1000 });
      const second = await makeKey(store, 'Till 2');
      const first = await makeKey(store, 'Till 1');
      await makeKey(store, 'Till 1', { mode: 'test' });
      await store.setup.revokeKey(first.id, 'test');
      const other = await makeKey(store, 'Till 1');
      store.setup.noteKeyUse(other.id, 500);
      const fresh = { interface: 'both', isAdopted: false, createdAt: 1000, expiresAt: null };
      expect(await store.glance.listTills(first.journalId, [])).toEqual([
        {
          id: first.tillId,
          label: 'Till 1',
          keys: [
            { ...fresh, id: first.id, lastUsedAt: null, revokedAt: 1000 },
            { ...fresh, id: other.id, lastUsedAt: 500, revokedAt: null },
          ],
          week: [],
          unusualForms: [],
        },
        {
          id: second.tillId,
          label: 'Till 2',
          keys: [{ ...fresh, id: second.id, lastUsedAt: null, revokedAt: null }],
          week: [],
          unusualForms: [],
        },
      ]);
    });

    test.each([
      ['whole days', 0],
      ['days that begin at 04:15', 4.25 * 3600],
    ])('count their NEW records of both interfaces in %s', async (_name, offset) => {
      const store = await makeSite().open();
      const [one, two] = [await makeKey(store, 'Till 1'), await makeKey(store, 'Till 2')];
      const week = Array.from({ length: 7 }, (_, n) => ({
        from: MONDAY + offset + n * DAY,
        to: MONDAY + offset + (n + 1) * DAY,
      }));
      const calls = [-1, 0, 1, DAY - 1, DAY, 6 * DAY, 7 * DAY - 1, 7 * DAY].map((at, n) =>
        arrivalOf(one, { externalId: `a-${n}`, soldAt: MONDAY + offset + at }),
      );
      const earlier = {
        ...arrivalOf(two, { externalId: 'b', soldAt: MONDAY + offset }),
        earlier: { version: 'v1', method: 'GET' } as const,
      };
      for (const call of [...calls, ...calls, earlier]) await store.records.append(call);
      expect(await store.glance.listTills(one.journalId, week)).toMatchObject([
        { week: [3, 1, 0, 0, 0, 0, 2] },
        { week: [1, 0, 0, 0, 0, 0, 0] },
      ]);
    });
  });
});
