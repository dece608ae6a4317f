import { expect, test } from 'vitest';

import { formatDecimal, parseDecimal } from '../../../server/lib/decimal.ts';

test.each([
  ['12.50', '12.5'],
  ['12.5', '12.5'],
  ['1.25e1', '12.5'],
  ['1250e-2', '12.5'],
  ['+12.5', '12.5'],
  ['0012.50', '12.5'],
  ['-0.05', '-0.05'],
  ['-0', '0'],
  ['0e999', '0'],
  ['9007199254740993.01', '9007199254740993.01'],
  ['30.299999999999997', '30.299999999999997'],
  ['999999999999999999.999999999999999999', '999999999999999999.999999999999999999'],
  ['12.500000000000000000000000', '12.5'],
])('the number %s is exactly %s', (text, exact) => {
  expect(formatDecimal(parseDecimal(text) ?? (Number.NaN as never))).toBe(exact);
});

test.each([
  '',
  ' ',
  'NaN',
  'Infinity',
  '1e400',
  '1e18',
  '1e-19',
  '9'.repeat(40),
  `0.${'1'.repeat(40)}`,
  `1${'0'.repeat(200)}`,
  '1e99999999',
  '12,50',
  '1 250',
  '0x10',
  '.5',
  '5.',
  '--5',
  'null',
])('the text %j is no decimal', (text) => {
  expect(parseDecimal(text)).toBeUndefined();
});

test('a sum of a tenth and two tenths is three tenths', () => {
  const [a = 0n, b = 0n, c = 0n] = ['0.1', '0.2', '0.3'].map(parseDecimal);
  expect(a + b).toBe(c);
});

test.each([
  ['12.5', '12.50'],
  ['12', '12.00'],
  ['-0.05', '-0.05'],
  ['0', '0.00'],
  ['1.2345', '1.2345'],
])('%s with two places is %s', (text, written) => {
  expect(formatDecimal(parseDecimal(text) ?? 0n, 2)).toBe(written);
});
