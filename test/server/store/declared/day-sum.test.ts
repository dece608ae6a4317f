// Which declared totals are added up for a store day.

import { describe, expect, test } from 'vitest';

import { sumDeclared } from '../../../../server/store/declared/day-sum.ts';

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
