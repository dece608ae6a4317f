import { expect, test } from 'vitest';

import { matchesWords } from '../../../renderer/lib/match-words.ts';

test('a text matches if it contains every typed word, in any order and case', () => {
  const texts = ['Time zone', 'For everybody'];
  expect(matchesWords(texts, '')).toBe(true);
  expect(matchesWords(texts, ' EVERYBODY  time ')).toBe(true);
  expect(matchesWords(texts, 'time port')).toBe(false);
});
