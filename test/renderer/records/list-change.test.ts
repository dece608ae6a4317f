import { describe, expect, test } from 'vitest';

import { findListChange } from '../../../renderer/records/list-change.ts';
import type { RecordPage, RecordSummary } from '../../../server/contract/records.ts';

const page = (recordIds: readonly number[], more: Partial<RecordPage> = {}): RecordPage => ({
  records: recordIds.map((recordId) => ({ recordId }) as RecordSummary),
  next: null,
  total: null,
  isFilling: false,
  ...more,
});

describe('a change of a list', () => {
  test('is not reported while the same records are in the same places', () => {
    expect(findListChange(page([3, 2, 1]), page([3, 2, 1]))).toBeUndefined();
    expect(findListChange(page([]), page([]))).toBeUndefined();
  });

  test('counts new records', () => {
    expect(findListChange(page([3, 2], { next: 'x' }), page([5, 3], { next: 'x' }))).toEqual({
      arrived: 1,
      isMore: false,
    });
    expect(findListChange(page([]), page([1, 2]))).toEqual({ arrived: 2, isMore: false });
  });

  test('reports that there may be more if the page has only new records and there are no totals', () => {
    expect(findListChange(page([3], { next: 'x' }), page([9], { next: 'x' }))).toEqual({ arrived: 1, isMore: true });
    const totals = [page([3], { next: 'x', total: 3 }), page([9], { next: 'x', total: 9 })] as const;
    expect(findListChange(...totals)).toEqual({ arrived: 6, isMore: false });
  });

  test('counts new records on later pages by the totals', () => {
    expect(findListChange(page([1, 2], { next: 'x', total: 5 }), page([1, 2], { next: 'x', total: 7 }))).toEqual({
      arrived: 2,
      isMore: false,
    });
  });

  test('is not reported if only the page length differs', () => {
    const before = page([3, 2, 1], { next: 'x' });
    expect(findListChange(before, page([3, 2], { next: 'x' }))).toBeUndefined();
    expect(findListChange(before, page([3, 2, 1, 9], { next: 'x' }))).toBeUndefined();
    expect(findListChange(before, page([], { next: 'x' }))).toBeUndefined();
    expect(findListChange(before, page([3, 2]))).toEqual({ arrived: 0, isMore: false });
  });

  test('is reported if a record left, even without new records', () => {
    expect(findListChange(page([3, 2, 1]), page([3, 1]))).toEqual({ arrived: 0, isMore: false });
  });
});
