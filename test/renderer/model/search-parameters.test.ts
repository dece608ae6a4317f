import { describe, expect, test } from 'vitest';

import {
  parseDaysSearch,
  parseRecordSearch,
  parseSearch,
  type RecordSearch,
  stringifySearch,
} from '../../../renderer/model/search-parameters.ts';

const there = (search: RecordSearch): RecordSearch => parseRecordSearch(parseSearch(stringifySearch({ ...search })));

describe('the address bar', () => {
  test('keeps a filter unchanged', () => {
    const filter: RecordSearch = {
      id: 'TX 1+1&2=3/é',
      interface: 'earlier',
      status: 'ERROR',
      delivery: 'set aside',
      type: 'order',
      till: 3,
      from: 0,
      to: 1_763_769_600,
      order: 'oldest',
    };
    expect(there(filter)).toEqual(filter);
  });

  test.each(['0012', '12345678901234567890', '1e5', 'true', 'null', '"x"', '[1]'])('keeps the id %s as text', (id) => {
    expect(there({ id })).toEqual({ id });
  });

  test('keeps booleans, and leaves out undefined values', () => {
    expect(stringifySearch({ another: true, journal: 2, id: undefined })).toBe('?another=true&journal=2');
    expect(stringifySearch({ id: undefined })).toBe('');
  });

  test('leaves out invalid values', () => {
    expect(
      parseRecordSearch(parseSearch('?status=SOLD&interface=both&till=two&from=&to=1.5&order=odd&id=&x=1')),
    ).toEqual({});
  });
});

describe('the period of the calendar', () => {
  const calendar = (search: string) => parseDaysSearch(parseSearch(search));

  test.each([
    ['?month=2026-11', { month: '2026-11' }],
    ['?year=2026', { year: 2026 }],
    ['?month=2026-11&show=cannot tell', { month: '2026-11', show: 'cannot tell' }],
    ['?show=closed', { show: 'closed' }],
    ['', {}],
  ])('%s', (search, parsed) => expect(calendar(search)).toEqual(parsed));

  test.each(['?month=2026-13', '?month=2026-1', '?month=11', '?year=two', '?year=1', '?year=20260', '?show=odd'])(
    '%s is left out',
    (search) => expect(calendar(search)).toEqual({}),
  );
});
