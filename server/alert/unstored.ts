// Tasks that are not stored, because the disk cannot be written, and the receivers that know them. Kept in memory, by name:
// after a restart, such a task is told again.

import type { AlertKey } from '../store/alerts/ledger.ts';
import type { StoredTask } from '../store/tasks/ledger.ts';

/** A new task that is not stored has the id 0. */
export const UNSTORED_ID = 0;
/** The opening with which such a task is stored later. */
const FIRST_OPENING = 1;

export interface Unstored {
  /** Call it with each reading of the list. A task that has left the list is forgotten, so it is told again if it returns. */
  note(tasks: readonly StoredTask[], now: number): void;
  /** The tasks without those that a receiver knows. Unstored ones get the time when they were first seen. */
  withoutTold(receiverId: number, tasks: readonly StoredTask[]): StoredTask[];
  /** The alerts of stored tasks that a receiver was told about before they were stored. */
  listStoredSince(receiverId: number, tasks: readonly StoredTask[]): StoredSince[];
  /** Call it when these alerts are stored as sent. */
  forget(receiverId: number, alerts: readonly StoredSince[]): void;
  /** Returns a function that notes that a receiver knows these tasks. */
  prepareTold(receiverId: number, tasks: readonly StoredTask[]): () => void;
}

interface StoredSince extends AlertKey {
  readonly name: string;
}

export function openUnstored(): Unstored {
  const seen = new Map<string, { readonly since: number; readonly told: Set<number> }>();
  const isStored = ({ id }: StoredTask): boolean => id !== UNSTORED_ID;
  const isTold = (receiverId: number, { name }: StoredTask): boolean => seen.get(name)?.told.has(receiverId) === true;
  return {
    note(tasks, now) {
      const present = new Set(tasks.map(({ name }) => name));
      for (const name of seen.keys()) if (!present.has(name)) seen.delete(name);
      for (const task of tasks)
        if (!isStored(task) && !seen.has(task.name)) seen.set(task.name, { since: now, told: new Set() });
    },
    withoutTold: (receiverId, tasks) =>
      tasks
        .filter((task) => isStored(task) || !isTold(receiverId, task))
        .map((task) => (isStored(task) ? task : { ...task, openedAt: seen.get(task.name)?.since ?? task.openedAt })),
    listStoredSince: (receiverId, tasks) =>
      tasks
        .filter((task) => isStored(task) && isTold(receiverId, task))
        .map(({ id, name }) => ({ taskId: id, opening: FIRST_OPENING, name })),
    forget(receiverId, alerts) {
      for (const { name } of alerts) seen.get(name)?.told.delete(receiverId);
    },
    prepareTold(receiverId, tasks) {
      // The entries of now: if a task ends meanwhile and begins again, that is news.
      const entries = tasks.filter((task) => !isStored(task)).map(({ name }) => seen.get(name));
      return () => {
        for (const entry of entries) entry?.told.add(receiverId);
      };
    },
  };
}
