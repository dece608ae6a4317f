import { expect, test } from 'vitest';

import { readTypedAmount } from '../../../server/contract/amounts.ts';

test.each([
  ['12,50', '12.50'],
  ['12.5', '12.5'],
  ['12', '12'],
  ['-12,50', '-12.50'],
  ['€ 12,50', '12.50'],
  ['12,50 €', '12.50'],
  ['EUR 12.50', '12.50'],
  ['12.50 EUR', '12.50'],
  ['1.234,50', '1234.50'],
  ['1,234.50', '1234.50'],
  ['1 234,50', '1234.50'],
  ['1’234.50', '1234.50'],
  ['1.234.567', '1234567'],
  ['1,234,567', '1234567'],
  ['1,234,567.89', '1234567.89'],
])('%s is the amount %s', (typed, amount) => {
  expect(readTypedAmount(typed)).toBe(amount);
});

test.each(['', 'T1-000412', 'T1', '12,', ',50', '1.23.4', '12.34,56,7', '1,2,3', 'abc', '--1', '€', '12,50x1'])(
  '%j is no amount',
  (typed) => {
    expect(readTypedAmount(typed)).toBeUndefined();
  },
);
