import { describe, expect, test } from 'vitest';

import { newsOf } from '../../../renderer/records/news.ts';
import type { RecordPage, RecordSummary } from '../../../server/contract/records.ts';

const page = (recordIds: readonly number[], more: Partial<RecordPage> = {}): RecordPage => ({
  records: recordIds.map((recordId) => ({ recordId }) as RecordSummary),
  next: null,
  total: null,
  ...more,
});

describe('news of a list', () => {
  test('there is none while the same records are in the same places', () => {
    expect(newsOf(page([3, 2, 1]), page([3, 2, 1]))).toBeUndefined();
    expect(newsOf(page([]), page([]))).toBeUndefined();
  });

  test('records that have come are counted', () => {
    expect(newsOf(page([3, 2], { next: 'x' }), page([5, 3], { next: 'x' }))).toEqual({ arrived: 1, isMore: false });
    expect(newsOf(page([]), page([1, 2]))).toEqual({ arrived: 2, isMore: false });
  });

  test('a page of nothing but new ones may not be all of them, unless the totals tell', () => {
    expect(newsOf(page([3], { next: 'x' }), page([9], { next: 'x' }))).toEqual({ arrived: 1, isMore: true });
    const totals = [page([3], { next: 'x', total: 3 }), page([9], { next: 'x', total: 9 })] as const;
    expect(newsOf(...totals)).toEqual({ arrived: 6, isMore: false });
  });

  test('records that come further down are counted by the totals', () => {
    expect(newsOf(page([1, 2], { next: 'x', total: 5 }), page([1, 2], { next: 'x', total: 7 }))).toEqual({
      arrived: 2,
      isMore: false,
    });
  });

  test('a page that ends sooner or later than before is no news', () => {
    const before = page([3, 2, 1], { next: 'x' });
    expect(newsOf(before, page([3, 2], { next: 'x' }))).toBeUndefined();
    expect(newsOf(before, page([3, 2, 1, 9], { next: 'x' }))).toBeUndefined();
    expect(newsOf(before, page([], { next: 'x' }))).toBeUndefined();
    expect(newsOf(before, page([3, 2]))).toEqual({ arrived: 0, isMore: false });
  });

  test('one that is gone is news, though nothing has come', () => {
    expect(newsOf(page([3, 2, 1]), page([3, 1]))).toEqual({ arrived: 0, isMore: false });
  });
});
