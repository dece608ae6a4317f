// The counts of a store day: at this gateway, upstream and declared. Each count links to its records.

import { describe, expect, test } from 'vitest';

import { differencesOf, listCountRows } from '../../../renderer/days/count-rows.ts';
import { recordsOf, salesFor, salesOf } from '../../../renderer/days/record-searches.ts';
import type { DayRow } from '../../../server/contract/days.ts';
import type { DeclaredComparison } from '../../../server/contract/declared-totals.ts';
import { dayWith } from './day.ts';

const row = (type: string, tillId: number, here: number, missingUpstream = 0): DayRow => ({
  type,
  tillId,
  till: `Till ${tillId}`,
  amounts: [],
  interface: 'current',
  here,
  missingUpstream,
});
const declared = (type: string | null, tillId: number | null, records: number): DeclaredComparison => ({
  id: 1,
  type,
  tillId,
  till: null,
  records,
  here: 0,
  source: 'typed',
  actor: 'Mia',
  at: 0,
  amounts: [],
  amountGap: null,
  ids: null,
});
const told = (sides: ReturnType<typeof listCountRows>) =>
  sides.map(({ kind, here, upstream, declared }) => [kind, here, upstream, declared]);

describe('the counts of a day', () => {
  const rows = [row('sale', 1, 300, 2), row('sale', 2, 100), row('return', 2, 12)];

  test('are listed by type and till, with a sum if a type has several tills', () => {
    expect(told(listCountRows({ day: dayWith({ upstream: 410 }), rows, declared: [] }))).toEqual([
      ['row', 300, 298, null],
      ['row', 100, 100, null],
      ['type', 400, 398, null],
      ['row', 12, 12, null],
      ['all', 412, 410, null],
    ]);
  });

  test('have the amounts of their records, also summed for a type and for the earlier interface', () => {
    const euros = (value: string) => [{ currency: 'EUR', value, withoutAmount: 0 }];
    const paid = [
      ...rows.map((each, index) => ({ ...each, amounts: euros(`${index + 1}.10`) })),
      { ...row('sale', 3, 5), interface: 'earlier' as const, amounts: euros('0.50') },
    ];
    const day = dayWith({ earlier: 5, earlierTaken: 5, amounts: euros('6.80') });
    const money = listCountRows({ day, rows: paid, declared: [] }).map(({ kind, amounts }) => [
      kind,
      amounts?.[0]?.value,
    ]);
    expect(money).toEqual([
      ['row', '1.10'],
      ['row', '2.10'],
      ['type', '3.20'],
      ['row', '3.10'],
      ['earlier', '0.50'],
      ['all', '6.80'],
    ]);
  });

  test('have declared amounts in the last row only if every row has one', () => {
    const compared = { currency: 'EUR', declared: '4.00', here: '4.10', difference: '-0.10' };
    const day = dayWith({ declared: 412, declaredAmounts: [compared] });
    const declaredIn = (totals: readonly DeclaredComparison[]) =>
      listCountRows({ day, rows, declared: totals }).at(-1)?.declaredAmounts;
    const withMoney = { ...declared('sale', null, 400), amounts: [compared] };
    expect(declaredIn([withMoney])).toEqual([]);
    expect(declaredIn([withMoney, declared('return', null, 12)])).toEqual([]);
    expect(declaredIn([withMoney, { ...declared('return', null, 12), amounts: [compared] }])).toEqual([compared]);
  });

  test('have no sum for a type that is the only one', () => {
    const sales = [row('sale', 1, 300), row('sale', 2, 112)];
    expect(told(listCountRows({ day: dayWith(), rows: sales, declared: [] })).map(([kind]) => kind)).toEqual([
      'row',
      'row',
      'all',
    ]);
  });

  test('list tills in numerical order', () => {
    const sales = [row('sale', 10, 3), row('sale', 2, 1)];
    const sides = listCountRows({ day: dayWith({ upstream: 4 }), rows: sales, declared: [] });
    expect(sides.map(({ till }) => till)).toEqual(['Till 2', 'Till 10', null]);
  });

  test('have a row for sales that are only upstream', () => {
    expect(told(listCountRows({ day: dayWith({ upstream: 413 }), rows, declared: [] })).slice(-2)).toEqual([
      ['only upstream', 0, 3, null],
      ['all', 412, 413, null],
    ]);
  });

  test('have no upstream numbers by row before a check, or if sales arrived after it', () => {
    const upstreamOf = (upstream: number | null) =>
      listCountRows({ day: dayWith({ upstream }), rows, declared: [] }).map((side) => side.upstream);
    expect(upstreamOf(null)).toEqual([null, null, null, null, null]);
    expect(upstreamOf(400)).toEqual([null, null, null, null, 400]);
  });

  test.each(['late_records', 'settling', 'not_seen_yet', 'to_be_checked', 'on_the_way'] as const)(
    'have the upstream number of a check that is no longer in force, without a difference: %s',
    (code) => {
      const day = dayWith({ upstream: 410, verdict: 'waiting', reasons: [{ code, count: 2 }] });
      const listed = listCountRows({ day, rows, declared: [] });
      expect(listed.map((side) => side.upstream)).toEqual([null, null, null, null, 410]);
      expect(listed.map(({ isOutdated }) => isOutdated)).toEqual([false, false, false, false, true]);
      expect(listed.flatMap((side) => differencesOf(side))).toEqual([]);
    },
  );

  test('have a row for the earlier interface, which the total includes', () => {
    const earlier: DayRow = { ...row('transaction', 3, 12), interface: 'earlier' };
    const day = dayWith({ here: 424, earlier: 12, earlierTaken: 11, upstream: 421 });
    expect(told(listCountRows({ day, rows: [...rows, earlier], declared: [] }))).toEqual([
      ['row', 300, 298, null],
      ['row', 100, 100, null],
      ['type', 400, 398, null],
      ['row', 12, 12, null],
      ['earlier', 12, 11, null],
      ['all', 424, 421, null],
    ]);
  });

  test('show a declared total only on the row of exactly these sales', () => {
    const shown = (...all: DeclaredComparison[]) =>
      listCountRows({ day: dayWith({ upstream: 410, declared: 413 }), rows, declared: all }).map(
        (side) => side.declared,
      );
    expect(shown(declared('sale', 1, 301))).toEqual([301, null, null, null, null]);
    expect(shown(declared(null, 1, 301))).toEqual([301, null, null, null, null]);
    expect(shown(declared(null, 2, 112))).toEqual([null, null, null, null, null]);
    expect(shown(declared(null, 1, 301), declared(null, 2, 112))).toEqual([301, null, null, null, 413]);
    expect(shown(declared('sale', null, 401))).toEqual([null, null, 401, null, null]);
    expect(shown(declared(null, null, 413))).toEqual([null, null, null, null, 413]);
  });
});

test.each([
  [{ here: 10, upstream: 8, declared: 11 }, ['fewerUpstream 2', 'moreDeclared 1']],
  [{ here: 10, upstream: 12, declared: 9 }, ['moreUpstream 2', 'fewerDeclared 1']],
  [{ here: 10, upstream: 10, declared: 10 }, []],
  [{ here: 10, upstream: null, declared: null }, []],
])('the difference of %o', (side, names) =>
  expect(differencesOf(side).map(({ name, n }) => `${name} ${n}`)).toEqual(names),
);

test('a number links to exactly the records that it counts', () => {
  const day = dayWith();
  const range = { from: day.from, to: day.to };
  expect(recordsOf(day)).toEqual(range);
  expect(salesOf(day)).toEqual({ ...range, status: 'NEW' });
  expect(salesFor(day, { type: 'sale', tillId: 2 })).toEqual({
    ...salesOf(day, { interface: 'current' }),
    type: 'sale',
    till: 2,
  });
  expect(salesFor(day, { type: null, tillId: null })).toEqual(salesOf(day));
  expect(salesOf(day, { interface: 'earlier' })).toMatchObject({ interface: 'earlier' });
});
