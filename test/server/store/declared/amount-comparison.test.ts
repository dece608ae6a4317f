// Compares declared amounts with the sums of the gateway's records. If a sum may be wrong, no difference is reported.

import { describe, expect, test } from 'vitest';

import type { Amount, AmountSum, AmountSums } from '../../../../server/contract/amounts.ts';
import type { AmountGap } from '../../../../server/contract/declared-totals.ts';
import { compareAmounts } from '../../../../server/store/declared/amount-comparison.ts';

const amount = (text: string): Amount => {
  const [currency = '', value = ''] = text.split(' ');
  return { currency: currency === '-' ? null : currency, value };
};
const sum = (text: string, withoutAmount = 0): AmountSum => ({ ...amount(text), withoutAmount });
/** Compares amounts. Returns a text for each currency, such as `EUR 12.50 here 10.00 difference 2.50`, and `amountGap`. */
const lines = (declared: readonly string[], sums: AmountSums, unruled = 0) => {
  const { amounts, amountGap } = compareAmounts(declared.map(amount), { sums, unruled });
  const told = amounts.map(
    (each) => `${each.currency} ${each.declared} here ${each.here} difference ${each.difference}`,
  );
  return [told, amountGap];
};

describe('each currency is compared by itself', () => {
  test.each<[name: string, declared: string[], sums: AmountSum[], told: string[]]>([
    ['equal', ['EUR 12.50'], [sum('EUR 12.50')], ['EUR 12.50 here 12.50 difference 0.00']],
    ['equal with other zeros', ['EUR 12.5'], [sum('EUR 12.50')], ['EUR 12.5 here 12.50 difference 0.00']],
    ['more declared', ['EUR 12.50'], [sum('EUR 10.00')], ['EUR 12.50 here 10.00 difference 2.50']],
    ['less declared', ['EUR 10'], [sum('EUR 12.50')], ['EUR 10 here 12.50 difference -2.50']],
    [
      'a cent of many billions',
      ['EUR 123456789012345.01'],
      [sum('EUR 123456789012345.02')],
      ['EUR 123456789012345.01 here 123456789012345.02 difference -0.01'],
    ],
    ['no sales', ['EUR 12.50'], [], ['EUR 12.50 here 0.00 difference 12.50']],
    ['no sales and nothing declared', ['EUR 0'], [], ['EUR 0 here 0.00 difference 0.00']],
    [
      'two currencies never balance each other',
      ['EUR 1', 'USD 2'],
      [sum('EUR 2'), sum('USD 1')],
      ['EUR 1 here 2.00 difference -1.00', 'USD 2 here 1.00 difference 1.00'],
    ],
    [
      'a currency that was not declared',
      ['EUR 1'],
      [sum('EUR 1'), sum('USD 5')],
      ['EUR 1 here 1.00 difference 0.00', 'USD null here 5.00 difference -5.00'],
    ],
    [
      'an undeclared currency whose sum is zero',
      ['EUR 1'],
      [sum('EUR 1'), sum('USD 0')],
      ['EUR 1 here 1.00 difference 0.00'],
    ],
    ['amounts without a currency', ['- 5'], [sum('- 5')], ['null 5 here 5.00 difference 0.00']],
    ['the places of the currency', ['JPY 5'], [sum('JPY 3')], ['JPY 5 here 3 difference 2']],
  ])('%s', (_name, declared, sums, told) => {
    expect(lines(declared, sums)).toEqual([told, null]);
  });
});

describe('an amount that is not known is unknown, not equal', () => {
  const unknown = ['EUR 1 here null difference null'];
  test.each<[name: string, sums: AmountSums, unruled: number, told: string[], gap: AmountGap]>([
    ['while old records are being read', null, 0, unknown, { kind: 'filling' }],
    ['without a rule', [], 3, unknown, { kind: 'no rule', records: 3 }],
    ['some without a rule and one unreadable', [sum('EUR 1', 1)], 3, unknown, { kind: 'unreadable', records: 4 }],
    ['one record is unreadable', [sum('EUR 1', 1)], 0, unknown, { kind: 'unreadable', records: 1 }],
    [
      'a record of an unknown currency is unreadable',
      [sum('EUR 1'), sum('- 0', 2)],
      0,
      [...unknown, 'null null here null difference null'],
      { kind: 'unreadable', records: 2 },
    ],
    [
      'amounts without a currency, though one was declared',
      [sum('- 1')],
      0,
      [...unknown, 'null null here null difference null'],
      { kind: 'no currency' },
    ],
    [
      'another currency is still compared',
      [sum('EUR 1', 1), sum('USD 5')],
      0,
      [...unknown, 'USD null here 5.00 difference -5.00'],
      { kind: 'unreadable', records: 1 },
    ],
  ])('%s', (_name, sums, unruled, told, gap) => {
    expect(lines(['EUR 1'], sums, unruled)).toEqual([told, gap]);
  });
});

test('without declared amounts, nothing is compared', () => {
  expect(lines([], [sum('EUR 1', 3)], 1)).toEqual([[], null]);
});

test('a sum of more digits than an amount may have is still compared', () => {
  const many = '9'.repeat(20);
  expect(lines(['EUR 1'], [sum(`EUR ${many}.00`)])).toEqual([
    [`EUR 1 here ${many}.00 difference -99999999999999999998.00`],
    null,
  ]);
});
