import { expect, test } from 'vitest';

import { addDays } from '../../../server/lib/calendar.ts';

test('days follow the calendar', () => {
  expect([addDays('2026-12-31', 1), addDays('2028-03-01', -1), addDays('2026-11-23', 0)]).toEqual([
    '2027-01-01',
    '2028-02-29',
    '2026-11-23',
  ]);
});

test('days continue before and after the four-digit years', () => {
  expect([addDays('9999-12-31', 1), addDays('+010000-01-01', -1), addDays('0000-01-01', -1)]).toEqual([
    '+010000-01-01',
    '9999-12-31',
    '-000001-12-31',
  ]);
});

test.each(['2026-02-30', '2026-2-3', '', 'today'])('%j is refused as an invalid date', (text) => {
  expect(() => addDays(text, 1)).toThrow(RangeError);
});
