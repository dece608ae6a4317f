import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { DayRule } from '../../server/contract/days.ts';
import { addDays } from '../../server/lib/calendar.ts';
import {
  always,
  clockAt,
  datesOf,
  datesOfRange,
  instantOf,
  isTimeZone,
  listStoreDays,
  replaceRule,
  storeDayAt,
  storeDayOf,
  weekOf,
} from '../../server/store-day.ts';

const HOUR = 3600;
const ruleOf = (timeZone: string, dayStartsAt = 0): DayRule => ({ timeZone, dayStartsAt });
const amsterdam = ruleOf('Europe/Amsterdam');

describe('the day of a date', () => {
  test.each<[date: string, rule: DayRule, from: string, hours: number, why: string]>([
    ['2026-11-20', amsterdam, '2026-11-19T23:00:00Z', 24, 'an ordinary day'],
    ['2026-03-29', amsterdam, '2026-03-28T23:00:00Z', 23, 'the clock goes forward'],
    ['2026-10-25', amsterdam, '2026-10-24T22:00:00Z', 25, 'the clock goes back'],
    ['2026-03-28', ruleOf('Europe/Amsterdam', 240), '2026-03-28T03:00:00Z', 23, 'the change before the cut-off'],
    ['2026-03-29', ruleOf('Europe/Amsterdam', 240), '2026-03-29T02:00:00Z', 24, 'the next day, without the change'],
    ['2026-10-24', ruleOf('Europe/Amsterdam', 240), '2026-10-24T02:00:00Z', 25, 'the same in autumn'],
    ['2026-03-29', ruleOf('Europe/Amsterdam', 150), '2026-03-29T01:30:00Z', 23, 'a cut-off that does not exist'],
    ['2026-10-25', ruleOf('Europe/Amsterdam', 150), '2026-10-25T00:30:00Z', 25, 'a cut-off that comes twice'],
    ['2026-11-20', ruleOf('Asia/Kathmandu'), '2026-11-19T18:15:00Z', 24, 'a zone of quarter hours'],
    ['2026-10-04', ruleOf('Australia/Lord_Howe'), '2026-10-03T13:30:00Z', 23.5, 'a change by half an hour'],
    ['2011-12-30', ruleOf('Pacific/Apia'), '2011-12-30T10:00:00Z', 0, 'a skipped date'],
    ['2026-11-20', ruleOf('UTC', 1425), '2026-11-20T23:45:00Z', 24, 'the latest cut-off'],
    ['1850-01-01', amsterdam, '1849-12-31T23:30:00Z', 24, 'clocks without whole quarter hours between them'],
  ])('%s, %j begins at %s and has %s hours: %s', (date, rule, from, hours) => {
    const start = Date.parse(from) / 1000;
    expect(storeDayOf(date, always(rule))).toEqual({ date, from: start, to: start + hours * HOUR });
  });

  test.each([
    '2026-02-30',
    '2026-13-01',
    '2026-1-1',
    '20261120',
    '2026-11-20T00:00',
    '',
    '+002026-11-20',
    '-271821-04-18',
  ])('there is no date %j', (date) => {
    expect(storeDayOf(date, always(amsterdam))).toBeUndefined();
  });
});

test.each<[at: string, rule: DayRule, date: string]>([
  ['2026-11-20T22:59:59.999Z', amsterdam, '2026-11-20'],
  ['2026-11-20T23:00:00Z', amsterdam, '2026-11-21'],
  ['2026-11-21T02:59:59Z', ruleOf('Europe/Amsterdam', 240), '2026-11-20'],
  ['2026-11-21T03:00:00Z', ruleOf('Europe/Amsterdam', 240), '2026-11-21'],
  ['2026-03-29T01:15:00Z', ruleOf('Europe/Amsterdam', 150), '2026-03-28'],
])('at %s, by %j, it is %s', (at, rule, date) => {
  expect(storeDayAt(Date.parse(at), always(rule)).date).toBe(date);
});

const rule = fc.record({
  timeZone: fc.constantFrom(
    'Europe/Amsterdam',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Africa/Cairo',
    'Pacific/Auckland',
    'UTC',
  ),
  dayStartsAt: fc.integer({ min: 0, max: 95 }).map((count) => count * 15),
});

test('every instant is in its day, and the next day begins where that ends', () => {
  const instant = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2060, 0) });
  fc.assert(
    fc.property(rule, instant, (each, at) => {
      const rules = always(each);
      const day = storeDayAt(at, rules);
      expect(day.from * 1000 <= at && at < day.to * 1000).toBe(true);
      expect(storeDayOf(day.date, rules)).toEqual(day);
      expect(storeDayAt(day.to * 1000, rules).from).toBe(day.to);
      expect([day.from % 900, day.to % 900]).toEqual([0, 0]);
    }),
    { numRuns: 300 },
  );
});

describe('a replaced rule', () => {
  const rules = replaceRule(always(ruleOf('UTC')), ruleOf('Europe/Amsterdam', 240), '2026-11-20');

  test('keeps the days before it unchanged, and the next day begins where they end', () => {
    const iso = (seconds = 0): string => new Date(seconds * 1000).toISOString().slice(0, 16);
    const days = listStoreDays('2026-11-19', '2026-11-21', rules).map(({ from, to }) => [iso(from), iso(to)]);
    expect(days).toEqual([
      ['2026-11-19T00:00', '2026-11-20T00:00'],
      ['2026-11-20T00:00', '2026-11-21T03:00'],
      ['2026-11-21T03:00', '2026-11-22T03:00'],
    ]);
    expect(storeDayAt(Date.UTC(2026, 10, 21, 2), rules).date).toBe('2026-11-20');
  });

  test('replaces another rule for the same days, and replaces all rules if it has no date', () => {
    expect(replaceRule(rules, ruleOf('UTC', 60), '2026-11-20')).toMatchObject([
      { timeZone: 'UTC', dayStartsAt: 0 },
      { timeZone: 'UTC', dayStartsAt: 60, since: { date: '2026-11-20' } },
    ]);
    expect(replaceRule(rules, amsterdam, undefined)).toEqual(always(amsterdam));
  });

  test('never skips or repeats an instant, whatever the rules', () => {
    const date = fc.integer({ min: 0, max: 20 }).map((days) => addDays('2026-10-18', days));
    const changes = fc.array(fc.tuple(rule, date), { maxLength: 4 });
    const instant = fc.integer({ min: Date.UTC(2026, 9, 15), max: Date.UTC(2026, 10, 12) });
    fc.assert(
      fc.property(rule, changes, instant, (first, others, at) => {
        const changed = others
          .toSorted(([, a], [, b]) => a.localeCompare(b))
          .reduce((before, [next, from]) => replaceRule(before, next, from), always(first));
        const day = storeDayAt(at, changed);
        expect(day.from * 1000 <= at && at < day.to * 1000).toBe(true);
        const days = listStoreDays('2026-10-10', '2026-11-15', changed);
        for (const [i, { date: each, from, to }] of days.entries()) {
          expect(to).toBeGreaterThanOrEqual(from);
          expect(days[i + 1]?.from ?? to).toBe(to);
          expect(storeDayOf(each, changed)).toEqual({ date: each, from, to });
        }
        expect(days).toContainEqual(day);
      }),
      { numRuns: 300 },
    );
  });
});

test('the dates of a month, a year and a week', () => {
  expect(datesOf('2024-02')).toEqual({ from: '2024-02-01', to: '2024-02-29' });
  expect(datesOf('2026')).toEqual({ from: '2026-01-01', to: '2026-12-31' });
  expect(['2026-13', '2026-1', '26', '2026-11-01', ''].map(datesOf)).toEqual(Array(5).fill(undefined));
  expect(weekOf('2026-11-22')).toEqual({ from: '2026-11-16', to: '2026-11-22' });
  expect(weekOf('2026-11-16')).toEqual({ from: '2026-11-16', to: '2026-11-22' });
});

test.each([
  ['Europe/Amsterdam', true],
  ['UTC', true],
  ['Asia/Calcutta', true],
  ['Europe/Nowhere', false],
  ['+02:00', false],
  ['', false],
])('whether %j is a zone: %s', (name, is) => {
  expect(isTimeZone(name)).toBe(is);
});

describe('a range of time', () => {
  const RULES = replaceRule(
    always({ timeZone: 'Europe/Amsterdam', dayStartsAt: 0 }),
    { timeZone: 'Europe/Amsterdam', dayStartsAt: 240 },
    '2026-11-01',
  );
  const at = (instant: string): number => Date.parse(instant) / 1000;

  test('is recognised as whole store days by the rule of each day, and other ranges are not', () => {
    const range = { from: at('2026-10-24T00:00+02:00'), to: at('2026-11-03T04:00+01:00') };
    expect(datesOfRange(range, RULES)).toEqual({ first: '2026-10-24', last: '2026-11-02' });
    expect(datesOfRange({ ...range, from: at('2026-10-24T04:00+02:00') }, RULES)).toBeUndefined();
    expect(datesOfRange({ ...range, to: range.to - 1 }, RULES)).toBeUndefined();
    expect(datesOfRange({ from: range.to, to: range.from }, RULES)).toBeUndefined();
  });

  test.each([
    ['2026-11-20', 0, '2026-11-19T23:00Z', 'an ordinary day'],
    ['2026-03-29', 150, '2026-03-29T01:30Z', 'clocks skip 02:30, so the result is 03:30'],
    ['2026-10-25', 150, '2026-10-25T00:30Z', 'clocks show 02:30 twice, so the result is the first'],
  ])('%s, minute %i, is the instant %s: %s', (date, minutes, instant) => {
    expect(instantOf(date, minutes, 'Europe/Amsterdam')).toBe(at(instant));
  });

  test('an instant is shown in the store’s local time', () => {
    expect(clockAt(at('2026-11-20T23:30:59Z'), 'Europe/Amsterdam')).toEqual({ date: '2026-11-21', time: '00:30' });
  });
});
