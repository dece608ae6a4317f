// The money of store days is added up exactly.

import { expect, test } from 'vitest';

import { addUp } from '../../../renderer/days/add-up.ts';

const sum = (currency: string | null, value: string, withoutAmount = 0) => ({ currency, value, withoutAmount });

test('sums are added up exactly, currency by currency', () => {
  expect(addUp([[sum('EUR', '0.10'), sum('JPY', '5')], [sum('EUR', '0.20', 1)]])).toEqual([
    sum('EUR', '0.30', 1),
    sum('JPY', '5'),
  ]);
});

test('while the amounts of one day are being read, the sum of all days is unknown', () => {
  expect(addUp([[sum('EUR', '1.00')], null])).toBeNull();
});

test('a sum may have more digits than an amount', () => {
  expect(addUp([[sum('EUR', '-1000000000000000000')], [sum('EUR', '-1.05')]])).toEqual([
    sum('EUR', '-1000000000000000001.05'),
  ]);
});

test('the sums are sorted by currency, and those without a currency come last', () => {
  const all = addUp([[sum(null, '1')], [sum('USD', '1'), sum('EUR', '1')]]);
  expect(all?.map(({ currency }) => currency)).toEqual(['EUR', 'USD', null]);
});
