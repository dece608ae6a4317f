import { expect, test } from 'vitest';

import { isFound } from '../../../renderer/components/find-words.ts';

test('a setting is found by every word that is typed, in any order and case', () => {
  const texts = ['Time zone', 'For everybody'];
  expect(isFound(texts, '')).toBe(true);
  expect(isFound(texts, ' EVERYBODY  time ')).toBe(true);
  expect(isFound(texts, 'time port')).toBe(false);
});
