// The calendar of a month, whichever weekday the month starts on.

import { describe, expect, test } from 'vitest';

import { addMonths, countDays, daysOfMonth, monthsOf, endingBy, weeksOf } from '../../../renderer/days/calendar.ts';

const MONDAY = 1;
const SUNDAY = 7;

describe('the first day of a month is in the column of its weekday', () => {
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
  ])('%s with weeks that start on day %i', (month, weekStart, column, rows) => {
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

test('the last day depends on the month', () => {
  expect(daysOfMonth('2026-02').to).toBe('2026-02-28');
  expect(daysOfMonth('2028-02').to).toBe('2028-02-29');
  expect(daysOfMonth('2026-12').to).toBe('2026-12-31');
});

test('months continue across the turn of the year', () => {
  expect(addMonths('2026-12', 1)).toBe('2027-01');
  expect(addMonths('2026-01', -1)).toBe('2025-12');
  expect(monthsOf(2026).at(0)).toBe('2026-01');
  expect(monthsOf(2026).at(-1)).toBe('2026-12');
});

test('dates after the last one are left out', () => {
  const november = daysOfMonth('2026-11');
  expect(endingBy(november, '2026-11-22')).toEqual({ from: '2026-11-01', to: '2026-11-22' });
  expect(endingBy(november, '2026-12-05')).toEqual(november);
  expect(endingBy(november, '2026-10-31')).toBeUndefined();
});
