import { expect, test } from 'vitest';

import { isInOrderOfId, kindOf, searchFor, searchIn } from '../../../renderer/model/search-kind.ts';

test.each([
  ['12,50', 'amount'],
  ['12.5', 'amount'],
  ['-3,00', 'amount'],
  ['1.234,50', 'amount'],
  ['€ 12', 'amount'],
  ['12', 'id'],
  ['T2-000412', 'id'],
  ['1.2.3', 'id'],
  ['12.505', 'id'],
  ['12,', 'id'],
])('the text %s searches by %s', (text, kind) => expect(kindOf(text, undefined)).toBe(kind));

test('a chosen kind stays while the text can have it', () => {
  expect(kindOf('0412', 'idEnd')).toBe('idEnd');
  expect(kindOf('12,50', 'idEnd')).toBe('idEnd');
  expect(kindOf('12', 'amount')).toBe('amount');
  expect(kindOf('T2', 'amount')).toBe('id');
  expect(kindOf('12,50', 'id')).toBe('amount');
});

test('a search replaces the one before, and an empty text ends it', () => {
  expect(searchFor('0412', 'idEnd')).toEqual({ id: undefined, idEnd: '0412', amount: undefined });
  expect(searchFor('', 'amount')).toEqual({ id: undefined, idEnd: undefined, amount: undefined });
  expect(searchIn({ amount: '12,50', till: 3 })).toEqual({ kind: 'amount', text: '12,50' });
  expect(searchIn({ till: 3 })).toBeUndefined();
});

test('the end of an id is in the order of ids, but in the order of sale within a time', () => {
  expect(isInOrderOfId({ id: 'S' })).toBe(true);
  expect(isInOrderOfId({ idEnd: '1', from: 0 })).toBe(true);
  expect(isInOrderOfId({ idEnd: '1', from: 0, to: 900 })).toBe(false);
  expect(isInOrderOfId({ amount: '1' })).toBe(false);
});
