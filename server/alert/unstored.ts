// Handles tasks that are not stored, because the disk cannot be written. Remembers in memory, by the task's name, which
// receivers have been told about a task. After a restart of the gateway, receivers are told again.

import type { AlertKey } from '../store/alerts/ledger.ts';
import type { StoredTask } from '../store/tasks/ledger.ts';

/** A new task that is not stored has the id 0. */
export const UNSTORED_ID = 0;
/** When such a task is stored later, its opening gets this number. */
const FIRST_OPENING = 1;

export interface Unstored {
  /**
   * Call this each time the to-do list has been read. Forgets tasks that have left the list. If they return, receivers are told
   * again.
   */
  note(tasks: readonly StoredTask[], now: number): void;
  /**
   * Removes the tasks that a receiver has been told about. In the remaining unstored tasks, sets `openedAt` to the time when
   * they were first seen.
   */
  withoutTold(receiverId: number, tasks: readonly StoredTask[]): StoredTask[];
  /** Lists the alerts of tasks that are stored now, but were not stored yet when this receiver was told about them. */
  listStoredSince(receiverId: number, tasks: readonly StoredTask[]): StoredSince[];
  /** Call this after the alerts from `listStoredSince` were stored as sent. */
  forget(receiverId: number, alerts: readonly StoredSince[]): void;
  /** Returns a function to call when the receiver has been told about these tasks. */
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
      // Takes the entries before the message is sent. If a task ends and begins again during the sending, it gets a new entry.
      // So the receiver is told about it again.
      const entries = tasks.filter((task) => !isStored(task)).map(({ name }) => seen.get(name));
      return () => {
        for (const entry of entries) entry?.told.add(receiverId);
      };
    },
  };
}
