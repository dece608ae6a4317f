// The texts of all kinds of task, in each language. The console, the command line and the alerts all use them. No text contains
// anything from the body of a record. Pure.

import { DE } from './task-words/de.ts';
import { EN } from './task-words/en.ts';
import { NL } from './task-words/nl.ts';
import type { TaskFormats, TaskText, Words } from './task-words/words.ts';
import type { TaskFact } from './todo.ts';

export const TASK_LANGUAGES = ['en', 'nl', 'de'] as const;
export type TaskLanguage = (typeof TASK_LANGUAGES)[number];

const WORDS: Readonly<Record<TaskLanguage, Words>> = { en: EN, nl: NL, de: DE };

/** Returns the texts of a task: what is wrong, and what to do. */
export function taskWords(fact: TaskFact, language: TaskLanguage, formats: TaskFormats): TaskText {
  return (WORDS[language][fact.kind] as (fact: TaskFact, formats: TaskFormats) => TaskText)(fact, formats);
}
