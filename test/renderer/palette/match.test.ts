// Finding the intended command by typed words.

import { expect, test } from 'vitest';

import { isProbablyId, matchCost, wordsOf } from '../../../renderer/palette/match.ts';

const fits = (typed: string, text: string): boolean => matchCost(wordsOf(typed), wordsOf(text)) !== undefined;

test.each([
  ['rec', 'Records'],
  ['RECORDS', 'Records'],
  ['rcd', 'Records'],
  ['up set', 'Set the upstream'],
  ['2 till', 'Records of Till 2'],
  ['cafe', 'Switch to Café · Test'],
  ['stream', 'Set the upstream'],
  ['2026-11-20', 'Records of Fri 20 Nov 2026-11-20'],
  ['20 nov', 'Records of Fri 20 Nov 2026-11-20'],
])('%j finds %j', (typed, text) => expect(fits(typed, text)).toBe(true));

test.each([
  ['x', 'Records'],
  ['drc', 'Records'],
  ['records 3', 'Records of Till 2'],
  ['S-12', 'Settings'],
  ['12', 'Records of Till 112'],
])('%j does not find %j', (typed, text) => expect(fits(typed, text)).toBe(false));

test('a closer match costs less', () => {
  const costs = ['Key', 'Keyboard', 'Monkeys'].map((text) => matchCost(['key'], wordsOf(text)) ?? Infinity);
  expect(costs).toEqual(costs.toSorted((a, b) => a - b));
  expect(new Set(costs).size).toBe(3);
});

test('an id is distinguished from a date and from words', () => {
  expect(['S-12', 'T1-000412', '4711', '2026112000017', 'x1'].filter(isProbablyId)).toHaveLength(5);
  expect(['12', '2026-11', '2026-11-20', 'till 2', 'records', ''].filter(isProbablyId)).toEqual([]);
});
