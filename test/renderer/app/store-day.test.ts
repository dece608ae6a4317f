import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';

import { addDays, clockAt, dayOfInstant, daysOfRange, instantOf, rangeOfDay } from '../../../renderer/app/store-day.ts';

const AMSTERDAM = { timeZone: 'Europe/Amsterdam', dayStartsAt: 0 };
const BAR = { timeZone: 'Europe/Amsterdam', dayStartsAt: 4 * 60 };
const at = (instant: string): number => Date.parse(instant) / 1000;

describe('store days', () => {
  test('a day runs from its beginning in the store’s zone to that of the next', () => {
    expect(rangeOfDay('2026-11-21', AMSTERDAM)).toEqual({ from: at('2026-11-20T23:00Z'), to: at('2026-11-21T23:00Z') });
    expect(rangeOfDay('2026-11-21', BAR)).toEqual({ from: at('2026-11-21T03:00Z'), to: at('2026-11-22T03:00Z') });
  });

  test('a day on which the clocks change has 23 or 25 hours', () => {
    const hours = (date: string): number => {
      const { from, to } = rangeOfDay(date, AMSTERDAM);
      return (to - from) / 3600;
    };
    expect([hours('2026-03-29'), hours('2026-10-25'), hours('2026-06-01')]).toEqual([23, 25, 24]);
  });

  test('what is sold before the day begins is of the day before', () => {
    expect(dayOfInstant(at('2026-11-21T02:59:59Z'), BAR)).toBe('2026-11-20');
    expect(dayOfInstant(at('2026-11-21T03:00:00Z'), BAR)).toBe('2026-11-21');
  });

  test('whole days are known as such, and nothing else is', () => {
    const range = { from: rangeOfDay('2026-10-24', BAR).from, to: rangeOfDay('2026-10-26', BAR).to };
    expect(daysOfRange(range, BAR)).toEqual({ first: '2026-10-24', last: '2026-10-26' });
    expect(daysOfRange({ ...range, to: range.to - 1 }, BAR)).toBeUndefined();
    expect(daysOfRange({ from: range.to, to: range.from }, BAR)).toBeUndefined();
  });

  test('the instant of a shown time is the one that Temporal finds', () => {
    for (const timeZone of [
      'Europe/Amsterdam',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'UTC',
      'Pacific/Apia',
    ])
      for (const date of [
        '2026-03-08',
        '2026-03-29',
        '2026-04-05',
        '2026-10-04',
        '2026-10-25',
        '2026-11-01',
        '2026-12-31',
      ])
        for (const minutes of [0, 1, 90, 120, 150, 180, 1439]) {
          const time = Temporal.PlainTime.from({ hour: Math.floor(minutes / 60), minute: minutes % 60 });
          const expected = Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime: time });
          expect(instantOf(date, minutes, timeZone), `${date} ${minutes} ${timeZone}`).toBe(
            expected.epochMilliseconds / 1000,
          );
        }
  });

  test('days are counted by the calendar', () => {
    expect([addDays('2026-12-31', 1), addDays('2028-03-01', -1)]).toEqual(['2027-01-01', '2028-02-29']);
  });

  test('an instant is shown as the store’s clocks show it', () => {
    expect(clockAt(at('2026-11-20T23:30:59Z'), 'Europe/Amsterdam')).toEqual({ date: '2026-11-21', time: '00:30' });
  });
});
