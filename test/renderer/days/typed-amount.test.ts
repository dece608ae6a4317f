// Amounts that a person types are read in the format of the user's region.

import { describe, expect, test } from 'vitest';

import { readTypedAmount } from '../../../renderer/days/typed-amount.ts';

describe.each(['en-GB', 'nl', 'de', 'de-CH'])('in %s', (locale) => {
  test.each([
    ['12', '12'],
    ['12,5', '12.5'],
    ['12.50', '12.50'],
    [' -12,50 ', '-12.50'],
    ['0,125', '0.125'],
    ["1'234.50", '1234.50'],
    ['1 234,50', '1234.50'],
  ])('%s is clear', (text, value) => {
    expect(readTypedAmount(text, locale)).toBe(value);
  });

  test.each(['', 'x', '1,2,3', '12.', ',5', '1.2345,6', '€12', '--1'])('%j is none', (text) => {
    expect(readTypedAmount(text, locale)).toBeUndefined();
  });
});

test.each([
  ['1.234', 'nl', '1234'],
  ['1.234', 'en-GB', '1.234'],
  ['1,234', 'en-GB', '1234'],
  ['1,234', 'nl', '1.234'],
  ['1.234,50', 'nl', '1234.50'],
  ['1,234,567.8', 'en-GB', '1234567.8'],
])('groups of thousands are those of the region: %s in %s', (text, locale, value) => {
  expect(readTypedAmount(text, locale)).toBe(value);
});

test.each([
  ['1.234,50', 'en-GB'],
  ['1,234.50', 'nl'],
])('groups of another region are not guessed: %s in %s', (text, locale) => {
  expect(readTypedAmount(text, locale)).toBeUndefined();
});
