import { describe, expect, test } from 'vitest';

import { canBeSaid, nameOf, resendingOf } from '../../../renderer/records/comparison.ts';
import type { Delivery, Difference, RecordDetail, RecordSummary } from '../../../server/contract/records.ts';

const record = (more: Partial<RecordSummary>): RecordSummary =>
  ({ recordId: 1, till: 'Till 2', receivedAt: 1_000_000, delivery: null, ...more }) as RecordSummary;

const detail = (differences: readonly Difference[], more: Partial<RecordSummary> = {}): RecordDetail => ({
  record: record({ status: 'ERROR', receivedAt: 1_180_000, ...more }),
  body: '',
  isIntact: true,
  original: { record: record({ delivery: { state: 'delivered' } as Delivery }), body: '' },
  differences,
  repeats: [],
  hasMoreRepeats: false,
});

const total: Difference = { pointer: '/object/total', original: '12.50', resent: '12.05' };

describe('what is said of a record that repeats another', () => {
  test('one value that differs is said with both values, the till and how much later it came', () => {
    expect(resendingOf(detail([total]))).toEqual({
      comparison: { kind: 'changed', name: 'total', original: '12.50', resent: '12.05' },
      laterMs: 180_000,
      tills: ['Till 2'],
      original: 'delivered',
      resent: null,
    });
  });

  test.each([
    [
      { pointer: '/a', original: null, resent: '1' },
      { kind: 'added', name: 'a', resent: '1' },
    ],
    [
      { pointer: '/a', original: '1', resent: null },
      { kind: 'left out', name: 'a', original: '1' },
    ],
    [
      { pointer: '/a', original: '1', resent: '1' },
      { kind: 'named twice', name: 'a' },
    ],
  ])('%j is told apart', (difference, expected) => {
    expect(resendingOf(detail([difference]))?.comparison).toEqual(expected);
  });

  test('several are named', () => {
    const vat = { ...total, pointer: '/object/vat' };
    expect(resendingOf(detail([total, vat]))?.comparison).toEqual({
      kind: 'several',
      names: ['total', 'vat'],
      n: 2,
      isMore: false,
    });
    expect(resendingOf(detail(Array.from({ length: 50 }, () => vat)))?.comparison).toMatchObject({ isMore: true });
  });

  test('a conflict of which nothing can be told is no repetition', () => {
    expect(resendingOf(detail([]))?.comparison).toEqual({ kind: 'untold' });
  });

  test('two tills are both named', () => {
    expect(resendingOf(detail([total], { till: 'Till 3' }))?.tills).toEqual(['Till 2', 'Till 3']);
  });

  test('a repeated record says the same, and no clock makes it come before the first', () => {
    const repeated = resendingOf(detail([], { status: 'IGNORED', receivedAt: 5 }));
    expect(repeated).toMatchObject({ comparison: { kind: 'same' }, laterMs: 0 });
  });

  test('an original repeats nothing', () => {
    expect(resendingOf({ ...detail([]), original: null })).toBeUndefined();
  });
});

test.each([
  ['/object/total', 'total'],
  ['/object/lines/1', 'lines 2'],
  ['/object/lines/1/price', 'price'],
  ['/a~1b~0c', 'a/b~c'],
  ['/0', '0'],
  ['', ''],
])('the place %j is called %j', (pointer, name) => {
  expect(nameOf(pointer)).toBe(name);
});

test('only what is short and plain is said within a sentence', () => {
  expect([
    canBeSaid('12.50'),
    canBeSaid('"paid"'),
    canBeSaid('{"a":1}'),
    canBeSaid('[]'),
    canBeSaid('1'.repeat(41)),
  ]).toEqual([true, true, false, false, false]);
});
