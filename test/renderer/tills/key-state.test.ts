import { describe, expect, test } from 'vitest';

import { adoptError, hasOtherKey, interfaceOf, keyState, lastCallAt } from '../../../renderer/tills/key-state.ts';
import type { KeyView } from '../../../server/contract/setup.ts';

const NOW = 10_000;

function key(id: number, over: Partial<KeyView> = {}): KeyView {
  return {
    id,
    interface: 'both',
    isAdopted: false,
    createdAt: id * 1000,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    ...over,
  };
}
const till = (...keys: KeyView[]) => ({ id: 1, label: 'Till 1', keys, week: [], unusualForms: [] });

describe('a key', () => {
  test('is valid or has ended', () => {
    expect(keyState(key(1), [key(1)], NOW)).toEqual({ kind: 'works' });
    expect(keyState(key(1, { revokedAt: 5 }), [], NOW)).toEqual({ kind: 'ended', endedAt: 5 });
    expect(keyState(key(1, { expiresAt: NOW }), [], NOW)).toEqual({ kind: 'ended', endedAt: NOW });
  });

  test('that was replaced counts as used only after a later call', () => {
    const old = key(1, { expiresAt: NOW + 1 });
    const used = (lastUsedAt: number | null) => keyState({ ...old, lastUsedAt }, [old, key(3), key(2)], NOW);
    expect(used(null)).toEqual({ kind: 'ending', endsAt: NOW + 1, stillUsedAt: null });
    expect(used(2000)).toMatchObject({ stillUsedAt: null });
    expect(used(2001)).toMatchObject({ stillUsedAt: 2001 });
  });

  test('is the last one if all others have ended', () => {
    expect(hasOtherKey(till(key(1), key(2, { revokedAt: 3 })), 1, NOW)).toBe(false);
    expect(hasOtherKey(till(key(1), key(2)), 1, NOW)).toBe(true);
  });
});

test('the last call of a till is the last call of any of its keys', () => {
  expect(lastCallAt(till(key(1, { lastUsedAt: 7 }), key(2, { lastUsedAt: 9 }), key(3)))).toBe(9);
  expect(lastCallAt(till(key(1)))).toBeNull();
});

test('a key is adopted only into the mode of its prefix', () => {
  expect(adoptError('prod_x', 'production', undefined)).toBeUndefined();
  expect(adoptError('test_x', 'production', undefined)).toBe('otherMode');
  expect(adoptError('test_x', 'production', 'earlier')).toBe('otherMode');
});

test('a key without a prefix is adopted only for the earlier interface in production', () => {
  expect(adoptError('x', 'production', undefined)).toBeUndefined();
  expect(adoptError('x', 'production', 'earlier')).toBeUndefined();
  expect(adoptError('x', 'production', 'both')).toBe('onlyEarlier');
  expect(adoptError('x', 'production', 'current')).toBe('onlyEarlier');
  expect(adoptError('x', 'test', undefined)).toBe('noPrefix');
  expect(interfaceOf('x', undefined)).toBe('earlier');
  expect(interfaceOf('prod_x', undefined)).toBe('both');
  expect(interfaceOf('prod_x', 'current')).toBe('current');
});
