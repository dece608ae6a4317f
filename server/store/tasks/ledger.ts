// Stores tasks: facts on the to-do list, what people said about them, and who saw them. The folder `todo` decides which facts
// become tasks.

import type { TaskFact, TaskMark, TaskMarkKind } from '../../contract/todo.ts';

export interface TaskLedger {
  /** Lists all tasks that have not ended, by id. */
  list(): Promise<StoredTask[]>;
  /** Stores new, changed and ended tasks in one transaction. Skips a new task if a task with the same name has not ended. */
  update(changes: TaskChanges): Promise<void>;
  /** Marks all of the tasks or none, and notes the acts. A new mark replaces an earlier one. */
  mark(mark: NewTaskMark, actor: string): Promise<MarkResult>;
  /** Makes a marked task open again, and notes the act. Returns false if the task does not exist, or if it is already open. */
  reopen(id: number, actor: string): Promise<boolean>;
  /** Stores that a person has seen tasks. If the person sees a task again, the first time stays. Unknown ids are skipped. */
  noteSeen(ids: readonly number[], actor: string): Promise<void>;
  /** Reads the facts for tasks that come from no other ledger. */
  readSources(): Promise<TaskSources>;
}

/** A fact for the to-do list, as it is now. */
export interface FoundTask {
  /** Identifies the task and stays the same while the fact changes, such as "day_differs 3 2026-11-04". */
  readonly name: string;
  /** The journal of the fact; null if the fact concerns the gateway or its machine. */
  readonly journalId: number | null;
  readonly fact: TaskFact;
  /** A text that changes with the fact. After a change, a mark is no longer valid and the task opens again. */
  readonly digest: string;
  /** Sizes of the fact, as numbers. If one of them grows, a mark is no longer valid and the task opens again. */
  readonly size: readonly number[];
}

export interface StoredTask extends FoundTask {
  readonly id: number;
  readonly beganAt: number;
  readonly openedAt: number;
  /** How often the task became open; 1 for a new task. */
  readonly opening: number;
  /** True while a person's mark is valid. The task is then not open. */
  readonly isClosed: boolean;
  readonly mark: TaskMark | null;
  readonly seen: readonly { readonly actor: string; readonly at: number }[];
}

export interface TaskChanges {
  readonly begun: readonly FoundTask[];
  /** New facts of tasks. With `isReopened`, the task was marked, but the mark does not cover the new fact. */
  readonly changed: readonly (Pick<StoredTask, 'id' | 'fact' | 'digest' | 'size'> & { readonly isReopened: boolean })[];
  readonly ended: readonly number[];
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface NewTaskMark {
  readonly tasks: readonly { readonly id: number; readonly version: string }[];
  readonly kind: TaskMarkKind;
  readonly note: string;
}

export type MarkResult = 'marked' | 'unknown' | 'changed';

export interface TaskSources {
  /** Number of changed resends per till and quarter hour of sale. `startsAt` is in epoch seconds. */
  readonly conflicts: readonly {
    readonly journalId: number;
    readonly startsAt: number;
    readonly till: string;
    readonly records: number;
  }[];
  /** For each lane with held records: when the upstream last rejected a record, in epoch milliseconds; null if unknown. */
  readonly held: readonly { readonly laneId: number; readonly lastAt: number | null }[];
}

/** Returns a text that changes whenever `digest` or `size` of a fact changes. */
export function versionOf({ digest, size }: Pick<FoundTask, 'digest' | 'size'>): string {
  return [digest, ...size].join(' ');
}
