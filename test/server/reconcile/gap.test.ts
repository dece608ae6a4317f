// Which ids a search for missing numbers reads. What it finds is tested through a gateway (test/scenarios).

import { expect, test } from 'vitest';

import type { StoreDay } from '../../../server/contract/days.ts';
import { listGaps } from '../../../server/reconcile/gap.ts';
import { always } from '../../../server/store-day.ts';
import { arrivalOf, makeKey, openTemporaryStore } from '../../support/temp-store.ts';

const RULES = always({ timeZone: 'UTC', dayStartsAt: 0 });
const at = (date: string): number => Date.parse(`${date}T12:00:00Z`) / 1000;

test('a day without sales reads no ids, unless there are sales before and after it', async () => {
  const store = await openTemporaryStore();
  const key = await makeKey(store);
  const read: string[] = [];
  const days = {
    ...store.days,
    listSoldIds: async (journalId: number, day: StoreDay) => {
      read.push(day.date);
      return store.days.listSoldIds(journalId, day);
    },
  };
  const readFor = async (date: string): Promise<string[]> => {
    read.length = 0;
    await listGaps({ days }, key.journalId, date, RULES);
    return read;
  };
  const sell = (date: string) => store.records.append(arrivalOf(key, { externalId: `T-${date}`, soldAt: at(date) }));

  await sell('2026-11-20');
  expect(await readFor('2026-11-19')).toEqual([]);
  expect(await readFor('2026-11-21')).toEqual([]);
  expect(await readFor('2026-11-20')).toEqual(['2026-11-20']);
  await sell('2026-11-18');
  expect(await readFor('2026-11-19')).toEqual(['2026-11-18', '2026-11-20']);
});
