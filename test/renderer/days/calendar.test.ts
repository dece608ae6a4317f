// Months as they are laid out, whichever day they begin on.

import { describe, expect, test } from 'vitest';

import {
  addMonths,
  countDays,
  daysOfMonth,
  monthsOf,
  until,
  weeksOf,
  weekStartOf,
} from '../../../renderer/days/calendar.ts';

const MONDAY = 1;
const SUNDAY = 7;

describe('a month begins under its weekday', () => {
  test.each([
    ['2026-06', MONDAY, 0, 5],
    ['2026-09', MONDAY, 1, 5],
    ['2026-07', MONDAY, 2, 5],
    ['2026-01', MONDAY, 3, 5],
    ['2026-05', MONDAY, 4, 5],
    ['2026-08', MONDAY, 5, 6],
    ['2026-11', MONDAY, 6, 6],
    ['2027-02', MONDAY, 0, 4],
    ['2026-11', SUNDAY, 0, 5],
    ['2026-08', SUNDAY, 6, 6],
    ['2026-08', 6, 0, 5],
  ])('%s in weeks from %i', (month, weekStart, column, rows) => {
    const weeks = weeksOf(month, weekStart);
    expect(weeks.length).toBe(rows);
    expect(weeks.every((week) => week.length === 7)).toBe(true);
    expect(weeks[0]?.indexOf(`${month}-01`)).toBe(column);
    const { from, to } = daysOfMonth(month);
    expect(weeks.flat().filter((date) => date !== null)).toEqual(
      Array.from({ length: countDays({ from, to }) }, (_, day) => `${month}-${String(day + 1).padStart(2, '0')}`),
    );
  });
});

test('a month has its own last day', () => {
  expect(daysOfMonth('2026-02').to).toBe('2026-02-28');
  expect(daysOfMonth('2028-02').to).toBe('2028-02-29');
  expect(daysOfMonth('2026-12').to).toBe('2026-12-31');
});

test('months go on over the turn of the year', () => {
  expect(addMonths('2026-12', 1)).toBe('2027-01');
  expect(addMonths('2026-01', -1)).toBe('2025-12');
  expect(monthsOf(2026).at(0)).toBe('2026-01');
  expect(monthsOf(2026).at(-1)).toBe('2026-12');
});

test('days end today', () => {
  const november = daysOfMonth('2026-11');
  expect(until(november, '2026-11-22')).toEqual({ from: '2026-11-01', to: '2026-11-22' });
  expect(until(november, '2026-12-05')).toEqual(november);
  expect(until(november, '2026-10-31')).toBeUndefined();
});

test('a week starts as people there are used to', () => {
  expect(weekStartOf('nl')).toBe(1);
  expect(weekStartOf('en-US')).toBe(7);
});
