// Tasks: the facts on the to-do list, what people said about them, and who saw them. Which facts are tasks is decided elsewhere.

import type { TaskFact, TaskMark, TaskMarkKind } from '../../contract/todo.ts';

export interface TaskLedger {
  /** All tasks that have not ended, by id. */
  list(): Promise<StoredTask[]>;
  /** Stores begun, changed and ended tasks in one transaction. Skips a begun task whose name has an open row already. */
  update(changes: TaskChanges): Promise<void>;
  /** Marks tasks, all or none, and notes the acts. Tasks that are marked already get the new mark. */
  mark(mark: NewTaskMark, actor: string): Promise<MarkResult>;
  /** Makes a marked task open again, and notes the act. Returns false if no task with this id has a mark that covers it. */
  reopen(id: number, actor: string): Promise<boolean>;
  /** Stores who has seen tasks. Only the first time of a person counts. Unknown ids are skipped. */
  noteSeen(ids: readonly number[], actor: string): Promise<void>;
  /** Sources of tasks that no other ledger has. */
  readSources(): Promise<TaskSources>;
}

/** A fact as found now. */
export interface FoundTask {
  /** What stays the same while the fact changes, such as "day_differs 3 2026-11-04". */
  readonly name: string;
  /** Null for the gateway and its machine. */
  readonly journalId: number | null;
  readonly fact: TaskFact;
  /** A mark covers the fact only while this text stays the same. */
  readonly digest: string;
  /** A mark covers the fact only while none of these numbers grows. */
  readonly size: readonly number[];
}

export interface StoredTask extends FoundTask {
  readonly id: number;
  readonly beganAt: number;
  readonly openedAt: number;
  /** How often the task became open; 1 for a new task. */
  readonly opening: number;
  /** Whether a mark covers the fact. */
  readonly isClosed: boolean;
  readonly mark: TaskMark | null;
  readonly seen: readonly { readonly actor: string; readonly at: number }[];
}

export interface TaskChanges {
  readonly begun: readonly FoundTask[];
  /** New facts of open rows. With `isReopened`, the mark no longer covers the fact. */
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
  /** Changed resends by quarter hour of sale (epoch seconds) and till. */
  readonly conflicts: readonly {
    readonly journalId: number;
    readonly startsAt: number;
    readonly till: string;
    readonly records: number;
  }[];
  /** When the upstream last rejected a record of each lane that holds some, in epoch milliseconds. */
  readonly held: readonly { readonly laneId: number; readonly lastAt: number | null }[];
}

/** The version of a fact: changes whenever `digest` or `size` does. */
export function versionOf({ digest, size }: Pick<FoundTask, 'digest' | 'size'>): string {
  return [digest, ...size].join(' ');
}
