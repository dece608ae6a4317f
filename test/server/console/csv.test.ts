// The cells of an export: amounts, and times in the store's zone.

import { describe, expect, test } from 'vitest';

import { cellOf, timeColumns } from '../../../server/console/csv.ts';
import { CSV_FORMATS, type CsvFormat } from '../../../server/contract/exports.ts';

describe('an amount has the decimal sign of the format, and stays a number', () => {
  test.each<[CsvFormat, string]>([
    ['comma', '-1234.50'],
    ['semicolon', '-1234,50'],
    ['semicolonPoint', '-1234.50'],
  ])('%s: %s', (format, written) => {
    expect(cellOf({ amount: '-1234.50' }, format)).toBe(written);
  });
});

test.each(CSV_FORMATS)('a text that looks like a formula is no formula in the format %s', (format) => {
  expect(cellOf('-1', format)).toBe("'-1");
});

test('a time has two columns, in the zone of the store and in UTC; a missing time is empty', () => {
  const columns = timeColumns<number | null>('sold_at', 'Europe/Amsterdam', (at) => at);
  const cells = (at: number | null) => Object.values(columns).map((cell) => cell(at));
  expect(Object.keys(columns)).toEqual(['sold_at (Europe/Amsterdam)', 'sold_at (UTC)']);
  expect(cells(Date.UTC(2026, 10, 20, 23, 30))).toEqual(['2026-11-21 00:30:00', '2026-11-20T23:30:00Z']);
  expect(cells(Date.UTC(2026, 10, 20, 23, 30, 0, 7))).toEqual(['2026-11-21 00:30:00', '2026-11-20T23:30:00.007Z']);
  expect(cells(null)).toEqual(['', '']);
});
