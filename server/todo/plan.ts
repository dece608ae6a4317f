// Decides how the to-do list changes when the facts are read again: which tasks begin, change, open again and end. Pure.

import { isUrgent, TASK_KINDS } from '../contract/todo.ts';
import type { FoundTask, StoredTask, TaskChanges } from '../store/tasks/ledger.ts';

/** The facts that are true now. */
export interface Finding {
  readonly found: readonly FoundTask[];
  /** True if a task stays although its fact was not found: the fact could not be read, or only a person can end the task. */
  readonly isKept: (task: StoredTask) => boolean;
}

/** True if a mark on the task `marked` is still valid: the fact of `found` is the same and has not become worse. */
export function covers(marked: Pick<FoundTask, 'digest' | 'size'>, found: Pick<FoundTask, 'digest' | 'size'>): boolean {
  return (
    marked.digest === found.digest &&
    marked.size.length === found.size.length &&
    found.size.every((number, i) => number <= (marked.size[i] ?? -Infinity))
  );
}

/** Plans how the stored tasks must change to match the present facts. `at` is in epoch milliseconds. */
export function planTasks(stored: readonly StoredTask[], { found, isKept }: Finding, at: number): TaskChanges {
  const foundByName = new Map(found.map((task) => [task.name, task]));
  const known = new Set(stored.map(({ name }) => name));
  const changed = stored.flatMap((task) => {
    const now = foundByName.get(task.name);
    if (now === undefined) return [];
    const isReopened = task.isClosed && !covers(task, now);
    // While a mark is valid, changes are not stored. So the next comparison still uses the numbers that the person saw.
    if (!isReopened && task.isClosed) return [];
    const { fact, digest, size } = now;
    if (!isReopened && JSON.stringify([fact, digest, size]) === JSON.stringify([task.fact, task.digest, task.size]))
      return [];
    return [{ id: task.id, fact, digest, size, isReopened }];
  });
  return {
    begun: [...foundByName.values()].filter(({ name }) => !known.has(name)),
    changed,
    ended: stored.filter((task) => !foundByName.has(task.name) && !isKept(task)).map(({ id }) => id),
    at,
  };
}

export function isChange({ begun, changed, ended }: TaskChanges): boolean {
  return begun.length + changed.length + ended.length > 0;
}

/** Returns the tasks as they are after the changes. A task that is not stored yet has the id 0. */
export function applyChanges(stored: readonly StoredTask[], { begun, changed, ended, at }: TaskChanges): StoredTask[] {
  const gone = new Set(ended);
  const changes = new Map(changed.map((change) => [change.id, change]));
  return [
    ...stored
      .filter(({ id }) => !gone.has(id))
      .map((task) => {
        const change = changes.get(task.id);
        if (change === undefined) return task;
        const { isReopened, ...fact } = change;
        return {
          ...task,
          ...fact,
          ...(isReopened && { isClosed: false, openedAt: at, opening: task.opening + 1 }),
        };
      }),
    ...begun.map((task) => ({
      ...task,
      id: 0,
      beganAt: at,
      openedAt: at,
      opening: 1,
      isClosed: false,
      mark: null,
      seen: [],
    })),
  ];
}

/** Sorts tasks: open ones first, then urgent ones, then by kind, then newest first. */
export function inOrder<Task extends Pick<StoredTask, 'isClosed' | 'fact' | 'openedAt'>>(
  tasks: readonly Task[],
): Task[] {
  return tasks.toSorted(
    (a, b) =>
      Number(a.isClosed) - Number(b.isClosed) ||
      Number(isUrgent(b.fact)) - Number(isUrgent(a.fact)) ||
      TASK_KINDS.indexOf(a.fact.kind) - TASK_KINDS.indexOf(b.fact.kind) ||
      dateOf(b).localeCompare(dateOf(a)) ||
      b.openedAt - a.openedAt,
  );
}

function dateOf({ fact }: Pick<StoredTask, 'fact'>): string {
  return 'date' in fact ? fact.date : '';
}
