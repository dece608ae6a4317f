// The sentences that describe tasks, in every language.

import { describe, expect, test } from 'vitest';

import { plainFormats } from '../../../server/contract/task-formats.ts';
import { TASK_LANGUAGES, taskWords } from '../../../server/contract/task-words.ts';
import { TASK_KINDS } from '../../../server/contract/todo.ts';
import { TASK_FACTS } from '../../support/task-facts.ts';

test.each(TASK_FACTS)('%j is said in English', (fact, said) => {
  expect(taskWords(fact, 'en', plainFormats('en', 'UTC')).what).toBe(said);
});

describe.each(TASK_LANGUAGES)('in the language %s', (language) => {
  test.each(TASK_FACTS)('%j is a sentence with an action and without an id of a record', (fact) => {
    const { what, action } = taskWords(fact, language, plainFormats(language, 'Europe/Amsterdam'));
    for (const text of [what, action]) {
      expect(text).toMatch(/^\S.*\.$/);
      expect(text).not.toMatch(/undefined|null|NaN|  |T2-000/);
    }
  });
});

test('the order of kinds has every kind once', () => {
  expect([...TASK_KINDS].toSorted()).toEqual([...new Set(TASK_FACTS.map(([{ kind }]) => kind))].toSorted());
});
