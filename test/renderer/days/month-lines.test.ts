// The rows and sums of a printed month.

import { expect, test } from 'vitest';

import { listMonthLines, sumDays } from '../../../renderer/days/month-lines.ts';
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
    [false, { currency: 'USD', here: '0.00', declared: '3.00', difference: '3.00', withoutAmount: 0 }],
    [true, undefined],
  ]);
});

test('where no amount is known, there is the number of records and no sum of zero', () => {
  const day = dayWith({ here: 3, amounts: [sum('EUR', '12.50'), sum(null, '0.00', 2)] });
  expect(listMonthLines([day]).map(({ amount }) => [amount?.here, amount?.withoutAmount])).toEqual([
    ['12.50', 0],
    [null, 2],
  ]);
});

test('a period has its sales and its amounts', () => {
  const days = [
    dayWith({ here: 2, amounts: [sum('EUR', '0.10')] }),
    dayWith({ here: 3, amounts: [sum('EUR', '0.20', 1)] }),
  ];
  expect(sumDays(days)).toEqual({ here: 5, amounts: [sum('EUR', '0.30', 1)] });
});
