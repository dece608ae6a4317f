import { expect, test } from 'vitest';

import { sumsOf } from '../../../renderer/model/amount-sums.ts';

const formats = { amount: ({ currency, value }: { currency: string | null; value: string }) => `${currency} ${value}` };

test('there is one sum per currency, and the records without an amount are counted apart', () => {
  const sums = [
    { currency: 'EUR', value: '12.50', withoutAmount: 1 },
    { currency: 'CHF', value: '0.00', withoutAmount: 0 },
    { currency: null, value: '0', withoutAmount: 2 },
  ];
  expect(sumsOf(sums, formats)).toEqual({ words: ['EUR 12.50', 'CHF 0.00'], without: 3 });
});

test('there are no sums without a rule, or while amounts are being read', () => {
  expect(sumsOf([], formats)).toBeUndefined();
  expect(sumsOf(null, formats)).toBeUndefined();
});
