// Which question of the first run comes first and next.

import { describe, expect, onTestFinished, test } from 'vitest';

import {
  type Facts,
  findFirstTill,
  firstStep,
  forgetProgress,
  keepProgress,
  questionsOf,
  readProgress,
  stepAfter,
  stepBefore,
} from '../../../renderer/welcome/progress.ts';
import type { Till } from '../../../server/contract/setup.ts';

const NOTHING: Facts = {
  isNetworkOpen: false,
  hasTill: false,
  hasUpstream: false,
  hasUsers: false,
};

describe('a new tab begins', () => {
  test.each<[what: string, facts: Partial<Facts>, step: string]>([
    ['at the till if nothing is set up', {}, 'till'],
    ['at the till if the network is open', { isNetworkOpen: true }, 'till'],
    ['at the till if there is an upstream', { hasUpstream: true }, 'till'],
    ['at the store if only a till has a key, such as from the command line', { hasTill: true }, 'store'],
    ['at the upstream if a till has a key and the network is open', { isNetworkOpen: true, hasTill: true }, 'upstream'],
    ['at the people without users', { isNetworkOpen: true, hasTill: true, hasUpstream: true }, 'people'],
    ['at the end', { isNetworkOpen: true, hasTill: true, hasUpstream: true, hasUsers: true }, 'record'],
  ])('%s', (_what, facts, step) => {
    expect(firstStep({ ...NOTHING, ...facts })).toBe(step);
  });
});

const revokedAt = null;
const tillOf = (label: string, ...keys: { revokedAt: number | null }[]) => ({ label, keys }) as unknown as Till;

test.each<[what: string, tills: Till[], found: string | undefined]>([
  ['has a key', [tillOf('Counter', { revokedAt: 1 }, { revokedAt })], 'Counter'],
  ['has no key left', [tillOf('Counter', { revokedAt: 1 })], undefined],
  [
    'has the key that the first start printed, which perhaps nobody has seen',
    [tillOf('First till', { revokedAt })],
    undefined,
  ],
])('finds a till that %s', (_what, tills, found) => {
  expect(findFirstTill(tills)?.label).toBe(found);
});

test('a new store and its first till are one question', () => {
  const questions = questionsOf({ isAnother: false, hadTill: false });
  expect(questions).toEqual(['till', 'upstream', 'people']);
  expect(stepBefore('till', questions)).toBeUndefined();
});

test('the store is a question of its own if a till has a key already', () => {
  const questions = questionsOf({ isAnother: false, hadTill: true });
  expect(questions).toEqual(['store', 'till', 'upstream', 'people']);
  expect(stepBefore('till', questions)).toBe('store');
});

test('another store is not asked about people', () => {
  const questions = questionsOf({ isAnother: true, hadTill: false });
  expect(questions).toEqual(['till', 'upstream']);
  expect(stepAfter('till', questions)).toBe('upstream');
  expect(stepAfter('upstream', questions)).toBe('record');
});

test('a question that is not asked is passed over', () => {
  expect(stepAfter('people', questionsOf({ isAnother: true, hadTill: false }))).toBe('record');
});

/** Replaces the storage of the tab until the test ends. */
function useStorage(getStorage: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): void {
  Object.defineProperty(globalThis, 'sessionStorage', { configurable: true, get: getStorage });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'sessionStorage'));
}

const PROGRESS = {
  step: 'till',
  isAnother: false,
  hadTill: false,
  isNamed: true,
  administration: 'Bakery',
  mode: 'test',
  created: undefined,
  isTaken: false,
} as const;

test('a reload continues at the same step, but an additional store starts at its first one', () => {
  const kept = new Map<string, string>();
  useStorage(() => ({
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => void kept.set(name, value),
    removeItem: (name) => void kept.delete(name),
  }));
  expect(readProgress(false)).toBeUndefined();
  keepProgress(PROGRESS);
  expect(readProgress(false)).toEqual(PROGRESS);
  expect(readProgress(true)).toBeUndefined();
  forgetProgress();
  expect(readProgress(false)).toBeUndefined();
});

test('a browser that refuses storage stops nobody', () => {
  useStorage(() => {
    throw new Error('SecurityError');
  });
  keepProgress(PROGRESS);
  expect(readProgress(false)).toBeUndefined();
  forgetProgress();
});
