// Amounts in the cells of a file. A cell that may mean two amounts is unreadable, unless other cells or a person's choice show
// which amount is meant.

import { describe, expect, test } from 'vitest';

import { formatDecimal } from '../../../server/lib/decimal.ts';
import { openAmountReader } from '../../../server/reconcile/amount-cell.ts';

/** Reads the amount of each cell of a file, such as `12.5 EUR`; null for an unreadable cell. */
function read(cells: readonly string[], sign?: '.' | ','): (string | null)[] {
  const reader = openAmountReader(cells, sign);
  return cells.map((cell) => {
    const amount = reader(cell);
    return amount === undefined ? null : [formatDecimal(amount.value), amount.currency ?? ''].join(' ').trim();
  });
}

describe('a clear amount', () => {
  test.each([
    ['12', '12'],
    ['12.5', '12.5'],
    ['12,50', '12.5'],
    ['0,125', '0.125'],
    ['1234.567', '1234.567'],
    ['1.234,50', '1234.5'],
    ['1,234.50', '1234.5'],
    ['1.234.567', '1234567'],
    ['1,234,567', '1234567'],
    ["1'234.50", '1234.5'],
    ['1 234,50', '1234.5'],
    ['1\u00A0234\u202F567,5', '1234567.5'],
    ['-12,50', '-12.5'],
    ['12,50-', '-12.5'],
    ['− 12,50', '-12.5'],
    ['€ 12,50', '12.5 EUR'],
    ['-€12,50', '-12.5 EUR'],
    ['12.50 GBP', '12.5 GBP'],
    ['£12.50', '12.5 GBP'],
    ['123456789012345678.12', '123456789012345678.12'],
  ])('%s', (cell, amount) => {
    expect(read([cell])).toEqual([amount]);
  });
});

test.each([
  '',
  'x',
  '12,5,0',
  '1.2,3.4',
  '12.',
  ',5',
  '--1',
  '-1-',
  '€ 1 EUR',
  '1e3',
  '12,50 euro',
  '1.23.456',
  '9'.repeat(41),
])('is unreadable: %j', (cell) => {
  expect(read([cell])).toEqual([null]);
});

describe('1.234 may be two amounts', () => {
  test.each<[cells: string[], amounts: (string | null)[]]>([
    [['1.234'], [null]],
    [['1,234'], [null]],
    [
      ['1.234', '12,50'],
      ['1234', '12.5'],
    ],
    [
      ['1.234', '12.50'],
      ['1.234', '12.5'],
    ],
    [
      ['1,234', '1,234,567'],
      ['1234', '1234567'],
    ],
    [
      ['1.234', '12,50', '12.50'],
      [null, '12.5', '12.5'],
    ],
  ])('in the file %j', (cells, amounts) => {
    expect(read(cells)).toEqual(amounts);
  });

  test('a chosen decimal sign decides, and contradicting cells are unreadable', () => {
    expect(read(['1.234', '12,50', '12.50'], ',')).toEqual(['1234', '12.5', null]);
    expect(read(['1.234', '12,50', '12.50'], '.')).toEqual(['1.234', null, '12.5']);
  });
});
