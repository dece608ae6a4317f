// The to-do list of a running gateway: reads the facts again when something may have changed, and stores the changes. Its work
// never delays tills. Even if the disk cannot be written, the list shows the present facts.

import { isUrgent, type TaskView } from '../contract/todo.ts';
import type { Clock } from '../lib/clock.ts';
import type { Days } from '../reconcile/days.ts';
import type { Store } from '../store/store.ts';
import { type NewTaskMark, type MarkResult, type StoredTask, versionOf } from '../store/tasks/ledger.ts';
import { openGapSearch } from './gap-search.ts';
import { applyChanges, inOrder, isChange, planTasks } from './plan.ts';
import { listJournals, openSources, type SourceParts } from './sources.ts';

/** Interval for reading the facts when nothing seems to have changed. */
const LOOK_MS = 30_000;
/** Interval for reading days of any age when none of them seems to have changed. */
const LOOK_AT_OLD_MS = 60 * 60_000;
/** Minimum time between two searches for skipped numbers, after one found no day due and while no task is about them. */
const SEARCH_GAPS_MS = 5 * 60_000;
/** Minimum time between two readings. */
const MIN_APART_MS = 2000;

export interface Todo {
  /** Lists the tasks of a journal and of the gateway. Reads the facts first, unless they were read in the last two seconds. */
  list(journalId: number): Promise<TaskView[]>;
  mark(mark: NewTaskMark, actor: string): Promise<MarkResult>;
  reopen(id: number, actor: string): Promise<boolean>;
  noteSeen(ids: readonly number[], actor: string): Promise<void>;
  /** Returns all tasks as they were last read. */
  present(): readonly StoredTask[];
  /** Call it when the machine has changed. The facts are then read soon. */
  noteChange(): void;
  close(): Promise<void>;
}

export interface TodoParts extends Pick<SourceParts, 'health' | 'network' | 'backups'> {
  readonly store: Store;
  readonly days: Days;
  readonly clock: Clock;
  /** Called with all tasks after each reading; `isNew` says whether any has changed. */
  readonly onRead: (tasks: readonly StoredTask[], isNew: boolean) => void;
  readonly onFault: (error: unknown) => void;
}

export function openTodo({ store, days, clock, health, network, backups, onRead, onFault }: TodoParts): Todo {
  const gaps = openGapSearch(days);
  const sources = openSources({ store, days, health, network, backups, gaps, now: clock.now, onFault });
  let tasks: readonly StoredTask[] = [];
  let reading: Promise<void> | undefined;
  let searching: Promise<void> | undefined;
  let callOffSearch = (): void => {};
  let readAt = -Infinity;
  let oldReadAt = -Infinity;
  let hasOldChanged = true;
  /** When the search for skipped numbers found no day to search; -Infinity if days may have changed since then. */
  let gapsEndedAt = -Infinity;
  let isClosed = false;
  let callOff = clock.after(MIN_APART_MS, look);
  let nextAt = clock.monotonic() + MIN_APART_MS;

  store.watch({
    daysChanged: noteOldChange,
    amountsFilled: noteOldChange,
    setupChanged: noteOldChange,
  });

  function noteOldChange(): void {
    hasOldChanged = true;
    gapsEndedAt = -Infinity;
    noteChange();
  }

  function noteChange(): void {
    lookWithin(MIN_APART_MS);
  }

  function lookWithin(ms: number): void {
    if (isClosed || nextAt <= clock.monotonic() + ms) return;
    callOff();
    nextAt = clock.monotonic() + ms;
    callOff = clock.after(ms, look);
  }

  function look(): void {
    nextAt = Infinity;
    void read().finally(() => lookWithin(LOOK_MS));
  }

  /** Reads the facts. If a reading is already running, returns the promise of that reading. Never rejects. */
  function read(): Promise<void> {
    return (reading ??= readOnce()
      .catch(onFault)
      .finally(() => {
        reading = undefined;
        readAt = clock.monotonic();
      }));
  }

  async function readOnce(): Promise<void> {
    const isOldDue = hasOldChanged || clock.monotonic() - oldReadAt >= LOOK_AT_OLD_MS;
    hasOldChanged = false;
    const finding = await sources.read(isOldDue);
    if (isOldDue) oldReadAt = clock.monotonic();
    const stored = await store.tasks.list();
    const changes = planTasks(stored, finding, clock.now());
    const isNew = isChange(changes);
    if (isNew) await store.tasks.update(changes).catch(onFault);
    tasks = isNew ? await store.tasks.list().catch(() => stored) : stored;
    // Applies the changes again, because a failed update has not stored them. The list must show them anyway.
    tasks = applyChanges(tasks, planTasks(tasks, finding, clock.now()));
    if (isClosed) return;
    onRead(tasks, isNew);
    searchGaps();
  }

  /** Searches some days for skipped numbers. No reading waits for this, because a search reads all ids of its days. */
  function searchGaps(): void {
    callOffSearch();
    const areGapsOpen = tasks.some(({ fact }) => fact.kind === 'numbers_skipped');
    if (!areGapsOpen && clock.monotonic() - gapsEndedAt < SEARCH_GAPS_MS) return;
    searching ??= searchSomeDays()
      .catch(onFault)
      .finally(() => (searching = undefined));
  }

  async function searchSomeDays(): Promise<void> {
    const step = await gaps.step(listJournals(store), tasks);
    if (step === 'nothing due') gapsEndedAt = clock.monotonic();
    if (step === 'tasks') noteChange(); // the next reading also continues the search
    else if (step === 'no tasks' && !isClosed) callOffSearch = clock.after(MIN_APART_MS, searchGaps);
  }

  return {
    async list(journalId) {
      if (clock.monotonic() - readAt > MIN_APART_MS) await read();
      return viewTasks(store, tasks, journalId);
    },
    async mark(mark, actor) {
      const result = await store.tasks.mark(mark, actor);
      await readAgain();
      return result;
    },
    async reopen(id, actor) {
      const isReopened = await store.tasks.reopen(id, actor);
      await readAgain();
      return isReopened;
    },
    async noteSeen(ids, actor) {
      await store.tasks.noteSeen(ids, actor);
      await readAgain();
    },
    present: () => tasks,
    noteChange,
    async close() {
      isClosed = true;
      callOff();
      callOffSearch();
      await Promise.all([reading, searching]);
    },
  };

  /** Reads the stored tasks after a person has changed some of them. */
  async function readAgain(): Promise<void> {
    const before = new Map(tasks.map((task) => [task.name, task]));
    const stored = await store.tasks.list();
    const unstored = tasks.filter(({ id }) => id === 0);
    tasks = [...stored, ...unstored];
    onRead(
      tasks,
      stored.some((task) => before.get(task.name)?.isClosed !== task.isClosed),
    );
  }
}

/** Returns the tasks of a journal and of the gateway, as a screen shows them. Without `journalId`, it returns all tasks. */
export function viewTasks(store: Store, tasks: readonly StoredTask[], journalId: number | undefined): TaskView[] {
  const journals = new Map(
    store.outbox.lanes().map(({ journalId: id, administration, mode }) => [id, { id, administration, mode }]),
  );
  return inOrder(
    tasks.filter((task) => journalId === undefined || task.journalId === null || task.journalId === journalId),
  ).map((task) => ({
    id: task.id,
    fact: task.fact,
    journal: task.journalId === null ? null : (journals.get(task.journalId) ?? null),
    version: versionOf(task),
    beganAt: task.beganAt,
    openedAt: task.openedAt,
    isUrgent: isUrgent(task.fact),
    isOpen: !task.isClosed,
    mark: task.mark,
    seen: task.seen,
  }));
}
