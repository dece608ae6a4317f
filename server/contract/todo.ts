// The to-do list: tasks, their facts, and what people said about them. `task-words.ts` has the words.

import type { CauseCode, ErrorCode, Interface, LaneState, Mode } from './codes.ts';
import type { Sureness } from './gaps.ts';
import type { ReasonCode } from './verdicts.ts';

/**
 * What a person must look at. A fact holds nothing of a record's body, except the ids in `ranges`, which only the console shows.
 * Times are epoch milliseconds, dates are YYYY-MM-DD.
 */
export type TaskFact =
  /** The gateway accepts no sales. */
  | { readonly kind: 'store_full' | 'store_unavailable'; readonly since: number }
  | { readonly kind: 'records_damaged'; readonly records: number }
  | { readonly kind: 'wal_damaged'; readonly foundAt: number; readonly hasLostSales: boolean }
  | { readonly kind: 'index_damaged'; readonly foundAt: number }
  | { readonly kind: 'clock_wrong' }
  | { readonly kind: 'disk_low'; readonly freeBytes: number }
  /** `lastAt` is the time of the last good backup; null without one. */
  | { readonly kind: 'backup_old'; readonly lastAt: number | null }
  /** The shop's certificate, the gateway's own certificate, or its authority. */
  | {
      readonly kind: 'certificate_ends';
      readonly of: 'files' | 'own' | 'authority';
      readonly expiresAt: number;
      readonly isOver: boolean;
    }
  /** A lane does not run. `cause` is null if it was paused. */
  | {
      readonly kind: 'upstream_stopped';
      readonly interface: Interface;
      readonly state: Exclude<LaneState, 'running'>;
      readonly cause: CauseCode | null;
      readonly since: number;
      readonly waiting: number;
    }
  | { readonly kind: 'held'; readonly interface: Interface; readonly records: number }
  | {
      readonly kind: 'day_differs';
      readonly date: string;
      /** The differences, most serious first. */
      readonly reasons: readonly { readonly code: ReasonCode; readonly count: number }[];
    }
  | {
      readonly kind: 'silent_till';
      readonly till: string;
      readonly tillId: number;
      readonly since: number;
      readonly sureness: Sureness;
    }
  /** Missing numbers in the ids of a store day, or between it and the store day before. */
  | {
      readonly kind: 'numbers_skipped';
      readonly date: string;
      readonly tills: readonly string[];
      readonly numbers: number;
      /** The first and the last id of each gap. Ids are content of records, so no alert has them. */
      readonly ranges: readonly (readonly [string, string])[];
      readonly sureness: Sureness;
    }
  /** Changed resends of a store day; `from` and `to` are its range in epoch seconds. */
  | {
      readonly kind: 'conflicts';
      readonly date: string;
      readonly from: number;
      readonly to: number;
      readonly records: number;
      readonly tills: readonly string[];
    }
  /** Refused calls with the same code and the same till; `till` is null for calls without a known key. */
  | {
      readonly kind: 'refusals';
      readonly code: ErrorCode;
      readonly till: string | null;
      readonly calls: number;
      readonly lastAt: number;
    };

export type TaskKind = TaskFact['kind'];

/** Every kind, the most urgent first: the order of the list. */
export const TASK_KINDS = [
  'store_full',
  'store_unavailable',
  'records_damaged',
  'wal_damaged',
  'index_damaged',
  'clock_wrong',
  'disk_low',
  'upstream_stopped',
  'silent_till',
  'held',
  'day_differs',
  'numbers_skipped',
  'conflicts',
  'refusals',
  'certificate_ends',
  'backup_old',
] as const satisfies readonly TaskKind[];

/** Whether tills or forwarding are affected now, so that a person should not wait until tomorrow. */
export function isUrgent(fact: TaskFact): boolean {
  switch (fact.kind) {
    case 'store_full':
    case 'store_unavailable':
    case 'records_damaged':
    case 'wal_damaged':
    case 'index_damaged':
    case 'clock_wrong':
    case 'disk_low':
    case 'upstream_stopped':
      return true;
    case 'silent_till':
      return fact.sureness === 'almost certain';
    case 'certificate_ends':
      return fact.isOver;
    case 'held':
    case 'day_differs':
    case 'numbers_skipped':
    case 'conflicts':
    case 'refusals':
    case 'backup_old':
      return false;
  }
}

export const TASK_MARKS = ['done', 'not a problem'] as const;

/** What a person said about a task. */
export type TaskMarkKind = (typeof TASK_MARKS)[number];

/** Maximum characters of a note. */
export const MAX_NOTE_LENGTH = 500;

export interface TaskMark {
  readonly kind: TaskMarkKind;
  /** Empty if a person who has done the task wrote none. */
  readonly note: string;
  readonly actor: string;
  readonly at: number;
}

export interface TaskView {
  readonly id: number;
  readonly fact: TaskFact;
  /** Null for a task of the gateway or its machine. */
  readonly journal: { readonly id: number; readonly administration: string; readonly mode: Mode } | null;
  /** Changes with the fact. A mark applies to the version that the person saw. */
  readonly version: string;
  readonly beganAt: number;
  /** When it last became open: at the beginning, or when its fact changed after a mark. */
  readonly openedAt: number;
  /** Whether tills or forwarding are affected now. */
  readonly isUrgent: boolean;
  /** False while a mark covers the fact. */
  readonly isOpen: boolean;
  /** The newest mark. It no longer covers the fact if the task is open. */
  readonly mark: TaskMark | null;
  /** Who saw it first, in the order of time. */
  readonly seen: readonly { readonly actor: string; readonly at: number }[];
}

/** GET /api/todo?journal=ID: tasks of the journal, and of the gateway. Open ones first, then in the order of TASK_KINDS. */
export interface TodoView {
  readonly now: number;
  readonly tasks: readonly TaskView[];
}

/** POST /api/todo/marks: marks tasks, all or none. A task that is not a problem needs a note. */
export interface TaskMarkRequest {
  readonly tasks: readonly { readonly id: number; readonly version: string }[];
  readonly kind: TaskMarkKind;
  readonly note: string;
}

/** POST /api/todo/seen: the tasks that the person's screen shows. */
export interface TasksSeenRequest {
  readonly tasks: readonly number[];
}

/** Maximum tasks in one request. */
export const MAX_MARKED_TASKS = 500;
