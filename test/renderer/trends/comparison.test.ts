import { describe, expect, test } from 'vitest';

import { compare, hoursIn, lineSlots, soldDays, soldHours } from '../../../renderer/trends/comparison.ts';
import type { TillTrend } from '../../../server/contract/trends.ts';
import { always, listStoreDays } from '../../../server/store-day.ts';

const HOUR_MS = 3_600_000;
const days = listStoreDays('2026-11-16', '2026-11-29', always({ timeZone: 'UTC', dayStartsAt: 0 }));
const today = '2026-11-25';
const first = '2026-11-16';
/** A till that sold `perDay` records at ten o'clock on each of the dates. */
const till = (id: number, perDay: number, dates: readonly string[]): TillTrend => ({
  id,
  label: `Till ${id}`,
  hours: days.map(({ date }) =>
    Array.from({ length: 24 }, (_, hour) => (hour === 10 && dates.includes(date) ? perDay : 0)),
  ),
});
const dates = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `2026-11-${from + index}`);
const tills = [till(1, 5, dates(16, 25)), till(2, 1, dates(18, 23))];
const period = { from: '2026-11-23', to: '2026-11-29' };

describe('a week beside the week before', () => {
  test('has equal weekdays side by side, and nothing for days that have not begun', () => {
    const rows = compare({ days, tills, today, first }, period, undefined).days;
    expect(rows).toHaveLength(7);
    expect(rows[0]).toEqual({ date: '2026-11-23', dateBefore: '2026-11-16', sales: 6, before: 5 });
    expect(rows[2]).toEqual({ date: '2026-11-25', dateBefore: '2026-11-18', sales: 5, before: 6 });
    expect(rows[3]).toMatchObject({ date: '2026-11-26', sales: null, before: 6 });
  });

  test('compares only days that are over', () => {
    expect(compare({ days, tills, today, first }, period, undefined).finished).toEqual({
      days: 2,
      sales: 11,
      before: 10,
    });
  });

  test('leaves out days whose day before is earlier than the first sale', () => {
    const { finished } = compare({ days, tills, today, first: '2026-11-17' }, period, undefined);
    expect(finished).toEqual({ days: 1, sales: 5, before: 5 });
  });

  test('can be that of one till, by the hour too', () => {
    const { finished, hours } = compare({ days, tills, today, first }, period, 2);
    expect(finished).toEqual({ days: 2, sales: 1, before: 0 });
    expect(hours[10]).toEqual({ sales: 1, before: 5 });
    expect(hours[11]).toEqual({ sales: 0, before: 0 });
  });

  test('a longer month before has days without a date in the month', () => {
    const march = listStoreDays('2026-01-01', '2026-02-28', always({ timeZone: 'UTC', dayStartsAt: 0 }));
    const rows = compare(
      { days: march, tills: [], today, first },
      { from: '2026-02-01', to: '2026-02-28' },
      undefined,
    ).days;
    expect(rows).toHaveLength(31);
    expect(rows[30]).toEqual({ date: null, dateBefore: '2026-01-31', sales: null, before: 0 });
  });
});

test('a till without sales is silent if another till sold, and else the store was closed', () => {
  const of = soldDays(
    { days, tills: [till(1, 5, ['2026-11-20']), till(2, 1, dates(18, 19))], today, first: '2026-11-18' },
    2,
  );
  expect(of.map(({ slot, state }) => `${slot.date.slice(8)} ${state}`)).toEqual([
    '18 sold',
    '19 sold',
    '20 silent',
    '21 closed',
    '22 closed',
    '23 closed',
    '24 closed',
  ]);
});

test('a line is measured up to now, from the first day of sales on', () => {
  const at = (date: string, hour: number): number => Date.parse(`${date}T00:00:00Z`) + hour * HOUR_MS;
  const outage = { laneId: 1, state: 'line down', cause: null } as const;
  const outages = [
    { ...outage, from: at('2026-11-23', 18), to: at('2026-11-24', 6) },
    { ...outage, laneId: 2, from: at('2026-11-23', 0), to: null },
    { ...outage, from: at('2026-11-25', 9), to: null },
  ];
  const now = at('2026-11-25', 12);
  const line = { outages, first: '2026-11-23', now };
  const told = (slots: typeof days) =>
    lineSlots(line, slots, 1).map(({ slot: { date }, ...rest }) => ({ date, ...rest }));
  expect(told(days)).toEqual([
    { date: '2026-11-23', downMs: 6 * HOUR_MS, share: 0.75 },
    { date: '2026-11-24', downMs: 6 * HOUR_MS, share: 0.75 },
    { date: '2026-11-25', downMs: 3 * HOUR_MS, share: 0.75 },
  ]);
  const hours = lineSlots(line, hoursIn(days, period), 1);
  expect(hours).toHaveLength(2 * 24 + 12);
  expect(hours.filter(({ share }) => share === 0)).toHaveLength(6 + 6 + 3);
});

test('the hours of a till are those at which a till sold in the week, up to the last finished hour', () => {
  const at = (date: string, hour: number): number => Date.parse(`${date}T00:00:00Z`) + hour * HOUR_MS;
  const now = at('2026-11-25', 10) + 1;
  const of = soldHours({ days, tills, now }, period, 2, 'UTC');
  expect(of.map(({ slot, sales, state }) => [slot.from * 1000, sales, state])).toEqual([
    [at('2026-11-23', 10), 1, 'sold'],
    [at('2026-11-24', 10), 0, 'silent'],
  ]);
});

test.each([
  ['an hour that occurs twice, because the clocks are put back', 0, 2],
  ['an hour in which the store day begins and ends', 4 * 60 + 15, 4],
])('%s has one slot with all its sales', (_, dayStartsAt, hour) => {
  const timeZone = 'Europe/Amsterdam';
  const week = listStoreDays('2026-10-19', '2026-10-25', always({ timeZone, dayStartsAt }));
  const sold = week.map(() => Array.from({ length: 24 }, (__, each) => (each === hour ? 3 : 0)));
  const now = Date.parse('2026-11-01T00:00:00Z');
  const view = { days: week, tills: [{ id: 1, label: 'Till 1', hours: sold }], now };
  const of = soldHours(view, { from: '2026-10-25', to: '2026-10-25' }, 1, timeZone);
  expect(of.map(({ sales }) => sales)).toEqual([3]);
});

test('a day on which the clocks are put back has 25 hours', () => {
  const dayRules = always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 0 });
  const week = listStoreDays('2026-10-19', '2026-10-25', dayRules);
  expect(hoursIn(week, { from: '2026-10-25', to: '2026-10-25' })).toHaveLength(25);
});
