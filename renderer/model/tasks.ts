// The texts of tasks in the user's language.

import { taskWords } from '../../server/contract/task-words.ts';
import type { TaskText } from '../../server/contract/task-words/words.ts';
import type { TaskFact } from '../../server/contract/todo.ts';
import { language } from '../locales/words.ts';
import { useStoreFormats } from './selected-journal.ts';

/** Returns a function that gives the texts for a task's fact. */
export function useTaskWords(): (fact: TaskFact) => TaskText {
  const formats = useStoreFormats();
  return (fact) => taskWords(fact, language, formats);
}
