// The lines and sums of a printed month.

import { expect, test } from 'vitest';

import { listMonthLines, sumMonth } from '../../../renderer/days/month-lines.ts';
import { dayWith } from './day.ts';

const sum = (currency: string | null, value: string, withoutAmount = 0) => ({ currency, value, withoutAmount });

test('each currency of a day has a line, also one that was only declared', () => {
  const day = dayWith({
    amounts: [sum('EUR', '12.50')],
    declaredAmounts: [
      { currency: 'EUR', declared: '13.00', here: '12.50', difference: '0.50' },
      { currency: 'USD', declared: '3.00', here: '0.00', difference: '3.00' },
    ],
  });
  expect(listMonthLines([day, dayWith()]).map(({ isFirst, amount }) => [isFirst, amount])).toEqual([
    [true, { currency: 'EUR', here: '12.50', declared: '13.00', difference: '0.50', withoutAmount: 0 }],
    [false, { currency: 'USD', here: null, declared: '3.00', difference: '3.00', withoutAmount: 0 }],
    [true, undefined],
  ]);
});

test('where no amount is known, there is the number of records and no sum of zero', () => {
  const day = dayWith({ here: 3, amounts: [sum('EUR', '12.50'), sum(null, '0.00', 2)] });
  expect(listMonthLines([day]).map(({ amount }) => [amount?.here, amount?.withoutAmount])).toEqual([
    ['12.50', 0],
    [null, 2],
  ]);
  expect(sumMonth([day])).toEqual({ here: 3, amounts: [{ currency: 'EUR', value: '12.50' }], withoutAmount: 2 });
});

test('a month is summed exactly, currency by currency', () => {
  const days = [
    dayWith({ here: 2, amounts: [sum('EUR', '0.10'), sum('JPY', '5')] }),
    dayWith({ here: 3, amounts: [sum('EUR', '0.20', 1)] }),
  ];
  expect(sumMonth(days)).toEqual({
    here: 5,
    amounts: [
      { currency: 'EUR', value: '0.30' },
      { currency: 'JPY', value: '5' },
    ],
    withoutAmount: 1,
  });
});

test('while the amounts of one day are being read, the sum of the month is unknown', () => {
  const days = [dayWith({ amounts: [sum('EUR', '1.00')] }), dayWith({ amounts: null })];
  expect(sumMonth(days).amounts).toEqual([{ currency: 'EUR', value: null }]);
});
