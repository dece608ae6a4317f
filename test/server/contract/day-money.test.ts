// The money of a store day by currency: the difference is unknown unless the declared amounts are about all of its records.

import { expect, test } from 'vitest';

import { listMoney } from '../../../server/contract/day-money.ts';

const EUR = { currency: 'EUR', value: '12.00', withoutAmount: 0 };

test.each([
  ['for all records', '12.00', '12.50', '0.50'],
  ['for some tills only', '5.00', '5.00', null],
  ['for records whose sum is unknown', null, '5.00', null],
])('an amount that was declared %s', (_, here, declared, difference) => {
  const compared = { currency: 'EUR', here, declared, difference: here === '12.00' ? '0.50' : '0.00' };
  expect(listMoney([EUR], [compared])).toEqual([
    { currency: 'EUR', here: '12.00', declared, difference, withoutAmount: 0 },
  ]);
});

test('an amount in a currency that no record has', () => {
  const compared = { currency: 'USD', here: '0.00', declared: '3.00', difference: '3.00' };
  expect(listMoney([EUR], [compared])[1]).toMatchObject({ currency: 'USD', here: '0.00', difference: '3.00' });
});
