// Which question of the first run comes first and next.

import { describe, expect, onTestFinished, test } from 'vitest';

import {
  type Facts,
  firstStep,
  forgetProgress,
  keepProgress,
  questionsOf,
  readProgress,
  stepAfter,
  stepBefore,
} from '../../../renderer/welcome/progress.ts';

const NOTHING: Facts = {
  isNetworkOpen: false,
  hasKey: false,
  hasUpstream: false,
  hasUsers: false,
};

describe('a new tab begins', () => {
  test.each<[what: string, facts: Partial<Facts>, step: string]>([
    ['at the store if nothing is set up', {}, 'store'],
    ['at the store if only the key of the first start exists', { hasKey: true }, 'store'],
    ['at the till if the network is open', { isNetworkOpen: true }, 'till'],
    ['at the till if there is an upstream', { hasUpstream: true }, 'till'],
    ['at the upstream if a till has a key', { isNetworkOpen: true, hasKey: true }, 'upstream'],
    ['at the people without users', { isNetworkOpen: true, hasKey: true, hasUpstream: true }, 'people'],
    ['at the end', { isNetworkOpen: true, hasKey: true, hasUpstream: true, hasUsers: true }, 'record'],
  ])('%s', (_what, facts, step) => {
    expect(firstStep({ ...NOTHING, ...facts })).toBe(step);
  });
});

test('another store is not asked about people', () => {
  const questions = questionsOf(true);
  expect(questions).toEqual(['store', 'till', 'upstream']);
  expect(stepAfter('store', questions)).toBe('till');
  expect(stepAfter('upstream', questions)).toBe('record');
  expect(stepBefore('till', questions)).toBe('store');
  expect(stepBefore('store', questions)).toBeUndefined();
});

test('a question that is not asked is passed over', () => {
  expect(stepAfter('people', questionsOf(true))).toBe('record');
});

/** Replaces the storage of the tab until the test ends. */
function useStorage(getStorage: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): void {
  Object.defineProperty(globalThis, 'sessionStorage', { configurable: true, get: getStorage });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'sessionStorage'));
}

const PROGRESS = {
  step: 'till',
  isAnother: false,
  isNamed: true,
  administration: 'Bakery',
  mode: 'test',
  created: undefined,
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
