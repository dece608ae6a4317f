// Which declared totals are added up for a store day.

import { describe, expect, test } from 'vitest';

import type { AmountComparison, DeclaredComparison } from '../../../../server/contract/declared-totals.ts';
import { NO_MONEY, sumDeclared, sumUpDay } from '../../../../server/store/declared/day-sum.ts';

describe('the declared sum of a day is that of the first level with totals', () => {
  const all = { type: null, tillId: null };
  test.each<[name: string, totals: Parameters<typeof sumDeclared>[0], sum: number | null]>([
    ['none', [], null],
    [
      'of everything',
      [
        { ...all, records: 0 },
        { ...all, tillId: 1, records: 9 },
      ],
      0,
    ],
    [
      'of tills',
      [
        { ...all, tillId: 1, records: 1 },
        { ...all, tillId: 2, records: 2 },
        { ...all, type: 'a', records: 9 },
      ],
      3,
    ],
    [
      'of types',
      [
        { ...all, type: 'a', records: 1 },
        { ...all, type: 'b', records: 2 },
        { type: 'a', tillId: 1, records: 9 },
      ],
      3,
    ],
    [
      'of types of tills',
      [
        { type: 'a', tillId: 1, records: 1 },
        { type: 'a', tillId: 2, records: 2 },
      ],
      3,
    ],
  ])('%s', (_name, totals, sum) => {
    expect(sumDeclared(totals)).toBe(sum);
  });
});

describe('the money of a day', () => {
  const compared = (
    scope: Partial<Pick<DeclaredComparison, 'type' | 'tillId'>>,
    amounts: Partial<AmountComparison>[],
    amountGap: DeclaredComparison['amountGap'] = null,
  ): DeclaredComparison => ({
    id: 1,
    type: null,
    tillId: null,
    till: null,
    records: 1,
    here: 1,
    source: 'typed',
    actor: 'Ann',
    at: 0,
    ids: null,
    ...scope,
    amounts: amounts.map((each) => ({ currency: 'EUR', declared: null, here: null, difference: null, ...each })),
    amountGap,
  });
  const [one, two] = [1, 2].map((tillId) => ({ tillId }));

  test('two tills do not balance each other', () => {
    const { money } = sumUpDay([
      compared(one ?? {}, [{ declared: '10.00', here: '12.00', difference: '-2.00' }]),
      compared(two ?? {}, [{ declared: '5.00', here: '3.00', difference: '2.00' }]),
    ]);
    expect(money).toEqual({
      amounts: [{ currency: 'EUR', declared: '15.00', here: '15.00', difference: '0.00' }],
      more: [{ currency: 'EUR', value: '2.00' }],
      less: [{ currency: 'EUR', value: '2.00' }],
      gap: null,
    });
  });

  test('the greatest difference of a level counts, currency by currency', () => {
    const { money } = sumUpDay([
      compared({}, [{ declared: '10.00', here: '9.00', difference: '1.00' }]),
      compared({ type: 'sale' }, [
        { declared: '12.00', here: '9.00', difference: '3.00' },
        { currency: 'USD', here: '4.00', difference: '-4.00' },
      ]),
    ]);
    expect(money).toMatchObject({
      amounts: [{ currency: 'EUR', declared: '10.00' }],
      more: [{ currency: 'EUR', value: '3.00' }],
      less: [{ currency: 'USD', value: '4.00' }],
    });
  });

  test('a sum with an unknown part is unknown', () => {
    const { money } = sumUpDay([
      compared(one ?? {}, [{ declared: '10.00', here: '10.00', difference: '0.00' }]),
      compared(two ?? {}, [{ declared: '5.00' }], { kind: 'unreadable', records: 3 }),
    ]);
    expect(money).toEqual({
      amounts: [{ currency: 'EUR', declared: '15.00', here: null, difference: null }],
      more: [],
      less: [],
      gap: { kind: 'unreadable', records: 3 },
    });
  });

  test.each<[name: string, gaps: DeclaredComparison['amountGap'][], gap: DeclaredComparison['amountGap']]>([
    [
      'being read',
      [{ kind: 'no currency' }, { kind: 'unreadable', records: 2 }, { kind: 'filling' }],
      { kind: 'filling' },
    ],
    [
      'unreadable',
      [
        { kind: 'no rule', records: 1 },
        { kind: 'unreadable', records: 2 },
      ],
      { kind: 'unreadable', records: 3 },
    ],
    ['no rule', [{ kind: 'no currency' }, { kind: 'no rule', records: 2 }], { kind: 'no rule', records: 2 }],
    ['no currency', [null, { kind: 'no currency' }], { kind: 'no currency' }],
  ])('of several gaps, the first in this order is named: %s', (_name, gaps, gap) => {
    const totals = gaps.map((each, tillId) => compared({ tillId }, [{ declared: '1' }], each));
    expect(sumUpDay(totals).money.gap).toEqual(gap);
  });

  test('without declared amounts, there is none', () => {
    expect(sumUpDay([compared({}, [])]).money).toEqual(NO_MONEY);
  });
});
