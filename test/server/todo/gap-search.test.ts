// The search for skipped numbers in finished days.

import { expect, test } from 'vitest';

import type { DaysView } from '../../../server/contract/days.ts';
import type { GapsView } from '../../../server/contract/gaps.ts';
import { addDays } from '../../../server/lib/calendar.ts';
import type { StoredTask } from '../../../server/store/tasks/ledger.ts';
import { type GapStep, openGapSearch } from '../../../server/todo/gap-search.ts';

const TODAY = '2026-11-20';
const dates = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', TODAY];
const NONE: GapsView = { sequences: [], isPartial: false };
const gapBefore = (date: string): GapsView => ({
  isPartial: false,
  sequences: [
    {
      prefix: 'T2-',
      tills: ['Till 2'],
      first: 'T2-000400',
      last: 'T2-000450',
      here: 49,
      skipped: 2,
      gaps: [{ from: 'T2-000412', to: 'T2-000413', between: [addDays(date, -1), date] }],
      sureness: 'almost certain',
    },
  ],
});
const GAP = gapBefore('2026-11-18');

function openSearch(gapsOf: (date: string) => GapsView) {
  const sales = new Map(dates.map((date) => [date, 10]));
  const asked: string[] = [];
  let today = TODAY;
  const search = openGapSearch({
    list: async (_journalId, from, to) =>
      ({
        today,
        days: [...sales]
          .filter(([date]) => date >= from && date <= to)
          .map(([date, here]) => ({ date, from: Date.parse(date) / 1000, here, earlier: 0 })),
      }) as unknown as DaysView,
    async listGaps(_journalId, date) {
      asked.push(date);
      return gapsOf(date);
    },
  });
  return {
    search,
    sales,
    asked,
    step: () => search.step([1], []),
    passDay() {
      today = addDays(today, 1);
      sales.set(today, 0);
    },
  };
}

test('finished days are searched a few at a time, newest first and only once', async () => {
  const { asked, step } = openSearch(() => NONE);
  expect(await step()).toBe('no tasks');
  expect(asked).toEqual(['2026-11-19', '2026-11-18']);
  while ((await step()) !== 'nothing due');
  expect(asked).toEqual(['2026-11-19', '2026-11-18', '2026-11-17', '2026-11-16']);
});

test('days without sales cost no search', async () => {
  const { sales, asked, search, step } = openSearch(() => NONE);
  sales.set('2026-11-19', 0).set('2026-11-17', 0);
  expect(await step()).toBe('no tasks');
  expect(asked).toEqual(['2026-11-18', '2026-11-16']);
  expect(dates.slice(0, 4).filter((date) => !search.isSearched(1, date))).toEqual([]);
  expect(await step()).toBe('nothing due');
});

test('a gap at the border of two days is one task, of the later day', async () => {
  const { search, step } = openSearch((date) => (date === '2026-11-19' ? NONE : GAP));
  while ((await step()) !== 'nothing due');
  expect(search.found().map(({ fact }) => fact)).toEqual([
    {
      kind: 'numbers_skipped',
      date: '2026-11-18',
      tills: ['Till 2'],
      numbers: 2,
      ranges: [['T2-000412', 'T2-000413']],
      sureness: 'almost certain',
    },
  ]);
});

test('a day that got more sales is searched again, and a filled gap is gone', async () => {
  let gaps = GAP;
  const { search, sales, step } = openSearch((date) => (date === '2026-11-18' ? gaps : NONE));
  while ((await step()) !== 'nothing due');
  expect(search.found()).toHaveLength(1);
  gaps = NONE;
  sales.set('2026-11-18', 12);
  while ((await step()) !== 'nothing due');
  expect(search.found()).toEqual([]);
  expect(search.isSearched(1, '2026-11-18')).toBe(true);
});

test.each([
  ['the last open day before', '2026-11-16'],
  ['a closed day between', '2026-11-17'],
  ['another finished day', '2026-11-19'],
])('a gap after a closed day is gone when its sales arrive on %s', async (_name, soldOn) => {
  let gaps = GAP;
  const { search, sales, step } = openSearch((date) => (date === '2026-11-18' ? gaps : NONE));
  sales.set('2026-11-17', 0);
  while ((await step()) !== 'nothing due');
  expect(search.found()).toHaveLength(1);
  gaps = NONE;
  sales.set(soldOn, 12);
  while ((await step()) !== 'nothing due');
  expect(search.found()).toEqual([]);
});

test('a gap whose sales arrive with the time of today or of an old day is gone on the next day', async () => {
  let gaps = GAP;
  const { search, sales, asked, step, passDay } = openSearch((date) => (date === '2026-11-18' ? gaps : NONE));
  while ((await step()) !== 'nothing due');
  gaps = NONE;
  const searches = asked.length;
  sales.set(TODAY, 12);
  while ((await step()) !== 'nothing due');
  expect(asked).toHaveLength(searches);
  passDay();
  while ((await step()) !== 'nothing due');
  expect(search.found()).toEqual([]);
});

test('an old day with skipped numbers is searched once a day', async () => {
  const { search, asked, passDay } = openSearch((date) => (date === '2026-03-01' ? gapBefore(date) : NONE));
  const fact = { kind: 'numbers_skipped', date: '2026-03-01' };
  const step = (): Promise<GapStep> => search.step([1], [{ journalId: 1, fact }] as unknown as StoredTask[]);
  const count = (): number => asked.filter((date) => date === '2026-03-01').length;
  for (let steps = 0; steps < 10; steps += 1) await step();
  expect(count()).toBe(1);
  passDay();
  for (let steps = 0; steps < 10; steps += 1) await step();
  expect(count()).toBe(2);
});

test('while late sales arrive, each day has its turn', async () => {
  const { sales, asked, step } = openSearch(gapBefore);
  while ((await step()) !== 'nothing due');
  asked.length = 0;
  for (let late = 0; late < 3; late += 1) {
    sales.set('2026-11-16', 11 + late);
    await step();
  }
  expect(new Set(asked)).toEqual(new Set(dates.slice(0, 4)));
});

test('a day with too many ids ends no stored task, and is not searched again', async () => {
  let gaps = GAP;
  const { search, sales, asked, step } = openSearch((date) => (date === '2026-11-18' ? gaps : NONE));
  while ((await step()) !== 'nothing due');
  gaps = { ...NONE, isPartial: true };
  sales.set('2026-11-18', 60_000);
  while ((await step()) !== 'nothing due');
  expect(search.found()).toEqual([]);
  expect(search.isSearched(1, '2026-11-18')).toBe(false);
  const searches = asked.length;
  expect(await step()).toBe('nothing due');
  expect(asked).toHaveLength(searches);
});
