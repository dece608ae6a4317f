// Which question of the first run comes first and next.

import { describe, expect, test } from 'vitest';

import { type Facts, firstStep, questionsOf, stepAfter, stepBefore } from '../../../renderer/welcome/progress.ts';

const NOTHING: Facts = {
  hasNetwork: true,
  isNetworkOpen: false,
  hasKey: false,
  hasUpstream: false,
  hasUsers: false,
};

describe('a new tab begins', () => {
  test.each<[what: string, facts: Partial<Facts>, step: string]>([
    ['at the store if nothing is set up', {}, 'store'],
    ['at the store if only the key of the first start exists', { hasKey: true }, 'store'],
    ['at the network if it is closed', { hasKey: true, hasUpstream: true }, 'network'],
    ['at the till if the network is open', { isNetworkOpen: true }, 'till'],
    ['at the till if a start setting decides the network', { hasNetwork: false, hasUpstream: true }, 'till'],
    ['at the upstream if a till has a key', { isNetworkOpen: true, hasKey: true }, 'upstream'],
    ['at the people without users', { isNetworkOpen: true, hasKey: true, hasUpstream: true }, 'people'],
    ['at the end', { isNetworkOpen: true, hasKey: true, hasUpstream: true, hasUsers: true }, 'record'],
  ])('%s', (_what, facts, step) => {
    expect(firstStep({ ...NOTHING, ...facts })).toBe(step);
  });
});

test('another store is not asked about the network and people', () => {
  const questions = questionsOf({ hasNetwork: true }, true);
  expect(questions).toEqual(['store', 'till', 'upstream']);
  expect(stepAfter('store', questions)).toBe('till');
  expect(stepAfter('upstream', questions)).toBe('record');
  expect(stepBefore('till', questions)).toBe('store');
  expect(stepBefore('store', questions)).toBeUndefined();
});

test('a question that has disappeared is passed over', () => {
  const questions = questionsOf({ hasNetwork: false }, false);
  expect(questions).toEqual(['store', 'till', 'upstream', 'people']);
  expect(stepAfter('network', questions)).toBe('till');
});
