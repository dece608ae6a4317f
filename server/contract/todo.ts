// The to-do list: its tasks, their facts and their marks. The texts are in `task-words.ts`.

import type { ArchiveFailure, ArchiveFault } from './archive.ts';
import type { BackupFault } from './backups.ts';
import type { CauseCode, ErrorCode, Interface, LaneState, Mode } from './codes.ts';
import type { Sureness } from './gaps.ts';
import type { ReasonCode } from './verdicts.ts';

/** Maximum ids of missing sales in a fact. It is one more than the console shows, so the console knows whether there are more. */
export const MAX_MISSING_IDS = 6;

/**
 * The fact behind a task. It contains nothing from the body of a record, except the ids in `ranges` and `missing`. Alerts never
 * contain these. Times are epoch milliseconds, dates are YYYY-MM-DD.
 */
export type TaskFact =
  /** The gateway accepts no sales. `since` is the time when this began. */
  | { readonly kind: 'store_full' | 'store_unavailable'; readonly since: number }
  | { readonly kind: 'records_damaged'; readonly records: number }
  | { readonly kind: 'wal_damaged'; readonly foundAt: number; readonly hasLostSales: boolean }
  | { readonly kind: 'index_damaged'; readonly foundAt: number }
  | { readonly kind: 'clock_wrong' }
  | { readonly kind: 'disk_low'; readonly freeBytes: number }
  /** `lastAt` is the time of the last good backup; null if there has been none. */
  | { readonly kind: 'backup_old'; readonly lastAt: number | null }
  /** The scheduled backup fails. `since` is the time of the first failed attempt. */
  | { readonly kind: 'backup_failed'; readonly fault: BackupFault; readonly folder: string; readonly since: number }
  /**
   * Files of the archive cannot be read. With a fault of `ArchiveFailure`, no bodies can be archived; nothing is lost, and the numbers are 0. `records` is
   * the number of records in the files.
   */
  | {
      readonly kind: 'archive_failed';
      readonly fault: ArchiveFault | ArchiveFailure['fault'];
      readonly folder: string;
      readonly files: number;
      readonly records: number;
      readonly since: number;
    }
  /**
   * A certificate that expires soon or has expired. `files`: it is the shop's own certificate. `own`: the gateway made it.
   * `authority`: it is the certificate of the gateway's authority.
   */
  | {
      readonly kind: 'certificate_ends';
      readonly of: 'files' | 'own' | 'authority';
      readonly expiresAt: number;
      readonly isOver: boolean;
    }
  /**
   * A lane does not run. `cause` is null if a person paused the lane. The causes `restored`, `asking` and `no_upstream` belong to the
   * state `paused`. With `no_upstream`, `since` is the arrival of the oldest waiting record.
   */
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
      /** The reasons why the day's verdict is `differs`, most serious first. */
      readonly reasons: readonly { readonly code: ReasonCode; readonly count: number }[];
      /** The ids of the sales that the last check found missing upstream, at most `MAX_MISSING_IDS`. */
      readonly missing: readonly string[];
    }
  | {
      readonly kind: 'silent_till';
      readonly till: string;
      readonly tillId: number;
      readonly since: number;
      readonly sureness: Sureness;
    }
  /** The ids of a store day have gaps in their numbers. A gap may begin on the previous store day. */
  | {
      readonly kind: 'numbers_skipped';
      readonly date: string;
      readonly tills: readonly string[];
      readonly numbers: number;
      /** The first and last missing id of each gap. */
      readonly ranges: readonly (readonly [string, string])[];
      readonly sureness: Sureness;
    }
  /**
   * A store day has resent records that differ from their originals. `from` and `to` are the start and end of the day, in epoch
   * seconds.
   */
  | {
      readonly kind: 'conflicts';
      readonly date: string;
      readonly from: number;
      readonly to: number;
      readonly records: number;
      readonly tills: readonly string[];
    }
  /** Calls of one till were refused with the same error code. `till` is null for calls without a known key. */
  | {
      readonly kind: 'refusals';
      readonly code: ErrorCode;
      readonly till: string | null;
      readonly calls: number;
      readonly lastAt: number;
    };

export type TaskKind = TaskFact['kind'];

/** All kinds of task, most urgent first. The to-do list has this order. */
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
  'archive_failed',
  'backup_failed',
  'backup_old',
] as const satisfies readonly TaskKind[];

/** Whether the task affects tills or forwarding now. If it does, it should not wait until tomorrow. */
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
    case 'archive_failed':
    case 'backup_failed':
    case 'backup_old':
      return false;
  }
}

export const TASK_MARKS = ['done', 'not a problem'] as const;

/** The possible marks: what a person can say about a task. */
export type TaskMarkKind = (typeof TASK_MARKS)[number];

/** Maximum characters of a note. */
export const MAX_NOTE_LENGTH = 500;

export interface TaskMark {
  readonly kind: TaskMarkKind;
  /** The person's note. It may be empty if the mark is `done`. */
  readonly note: string;
  readonly actor: string;
  readonly at: number;
}

export interface TaskView {
  readonly id: number;
  readonly fact: TaskFact;
  /** The journal of the task. Null if the task is about the gateway itself or its machine. */
  readonly journal: { readonly id: number; readonly administration: string; readonly mode: Mode } | null;
  /** A new fact has a new version. A mark applies only to the version that the person saw. */
  readonly version: string;
  readonly beganAt: number;
  /** The last time the task became open: when it began, or when its fact changed after a mark. */
  readonly openedAt: number;
  /** Whether the task affects tills or forwarding now. */
  readonly isUrgent: boolean;
  /** Whether the task is open. False if the newest mark applies to the present fact. */
  readonly isOpen: boolean;
  /**
   * The newest mark; null if there is none. If the task is open, this mark is no longer valid, because the fact has changed.
   */
  readonly mark: TaskMark | null;
  /** Each person who has seen the task, and when for the first time. Oldest first. */
  readonly seen: readonly { readonly actor: string; readonly at: number }[];
}

/**
 * Answer of GET /api/todo?journal=ID: the tasks of the journal and of the gateway itself. Open tasks come first, then marked
 * tasks. Both groups are sorted by `TASK_KINDS`.
 */
export interface TodoView {
  readonly now: number;
  readonly tasks: readonly TaskView[];
}

/** Body of POST /api/todo/marks. The gateway marks all these tasks or none. The mark "not a problem" needs a note. */
export interface TaskMarkRequest {
  readonly tasks: readonly { readonly id: number; readonly version: string }[];
  readonly kind: TaskMarkKind;
  readonly note: string;
}

/** Body of POST /api/todo/seen: the tasks that the person's screen is showing. */
export interface TasksSeenRequest {
  readonly tasks: readonly number[];
}

/** Maximum tasks in one request. */
export const MAX_MARKED_TASKS = 500;
