import { describe, expect, test } from 'vitest';

import { fitsSentence, nameOf, resendOf } from '../../../renderer/records/comparison.ts';
import type { Delivery, Difference, RecordDetail, RecordSummary } from '../../../server/contract/records.ts';

const record = (more: Partial<RecordSummary>): RecordSummary =>
  ({ recordId: 1, till: 'Till 2', receivedAt: 1_000_000, delivery: null, ...more }) as RecordSummary;

const detail = (differences: readonly Difference[], more: Partial<RecordSummary> = {}): RecordDetail => ({
  record: record({ status: 'ERROR', receivedAt: 1_180_000, ...more }),
  body: '',
  payment: null,
  isIntact: true,
  isUnreadable: false,
  original: { record: record({ delivery: { state: 'delivered' } as Delivery }), body: '' },
  differences,
  repeats: [],
  hasMoreRepeats: false,
});

const total: Difference = { pointer: '/object/total', original: '12.50', resent: '12.05' };

describe('a repeated record', () => {
  test('shows a single difference with both values, the till and the delay', () => {
    expect(resendOf(detail([total]))).toEqual({
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
  ])('recognises the difference %j', (difference, expected) => {
    expect(resendOf(detail([difference]))?.comparison).toEqual(expected);
  });

  test('lists the names of several differences', () => {
    const vat = { ...total, pointer: '/object/vat' };
    expect(resendOf(detail([total, vat]))?.comparison).toEqual({
      kind: 'several',
      names: ['total', 'vat'],
      n: 2,
      isMore: false,
    });
    expect(resendOf(detail(Array.from({ length: 50 }, () => vat)))?.comparison).toMatchObject({ isMore: true });
  });

  test('is not called the same if damaged bytes hide the difference', () => {
    expect(resendOf(detail([]))?.comparison).toEqual({ kind: 'untold' });
  });

  test('names both tills if they differ', () => {
    expect(resendOf(detail([total], { till: 'Till 3' }))?.tills).toEqual(['Till 2', 'Till 3']);
  });

  test('has the same content, and never arrives before the original, whatever the clock says', () => {
    const repeated = resendOf(detail([], { status: 'IGNORED', receivedAt: 5 }));
    expect(repeated).toMatchObject({ comparison: { kind: 'same' }, laterMs: 0 });
  });

  test('is not an original', () => {
    expect(resendOf({ ...detail([]), original: null })).toBeUndefined();
  });
});

test.each([
  ['/object/total', 'total'],
  ['/object/lines/1', 'lines 2'],
  ['/object/lines/1/price', 'price'],
  ['/a~1b~0c', 'a/b~c'],
  ['/0', '0'],
  ['', ''],
])('the JSON pointer %j is shown as %j', (pointer, name) => {
  expect(nameOf(pointer)).toBe(name);
});

test('only short and simple values stand within a sentence', () => {
  expect([
    fitsSentence('12.50'),
    fitsSentence('"paid"'),
    fitsSentence('{"a":1}'),
    fitsSentence('[]'),
    fitsSentence('1'.repeat(41)),
  ]).toEqual([true, true, false, false, false]);
});
