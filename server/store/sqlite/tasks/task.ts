// Stores tasks. The row of an ended task stays, with its mark and the people who saw it.

import type { TaskMark } from '../../../contract/todo.ts';
import { parseFact } from '../../tasks/fact-schema.ts';
import {
  type MarkResult,
  type NewTaskMark,
  type StoredTask,
  type TaskChanges,
  type TaskSources,
  versionOf,
} from '../../tasks/ledger.ts';
import { type Connection } from '../engine/database.ts';
import { noteAct } from '../setup/act-log.ts';

type Row = Omit<StoredTask, 'fact' | 'size' | 'isClosed' | 'mark' | 'seen'> & {
  readonly fact: string;
  readonly size: string;
  readonly isClosed: 0 | 1;
  readonly mark: string | null;
  readonly seen: string;
};

const TASK_COLUMNS = `
  SELECT id, name, journal_id AS journalId, fact, digest, size, began_at AS beganAt, opened_at AS openedAt, opening,
    is_closed AS isClosed, mark,
    (SELECT json_group_array(json_object('actor', actor, 'at', at) ORDER BY at, actor) FROM task_views WHERE task_id = id) AS seen
  FROM tasks WHERE ended_at IS NULL`;

/** Lists the tasks that have not ended. Leaves out facts that only another version of the gateway knows. */
export function listTasks(db: Connection): StoredTask[] {
  return db
    .prepare<[], Row>(`${TASK_COLUMNS} ORDER BY id`)
    .all()
    .flatMap((row) => viewOf(row) ?? []);
}

function viewOf(row: Row): StoredTask | undefined {
  const fact = parseFact(row.fact);
  return (
    fact && {
      ...row,
      fact,
      size: JSON.parse(row.size) as number[],
      isClosed: row.isClosed === 1,
      mark: row.mark === null ? null : (JSON.parse(row.mark) as TaskMark),
      seen: JSON.parse(row.seen) as StoredTask['seen'],
    }
  );
}

export function updateTasks(db: Connection, { begun, changed, ended, at }: TaskChanges): void {
  const insert = db.prepare(`
    INSERT INTO tasks (name, journal_id, fact, digest, size, began_at, opened_at, opening, is_closed)
    VALUES (?, ?, ?, ?, ?, ?, ?, 1, 0) ON CONFLICT DO NOTHING`);
  // A person may mark a task before this write. The task then keeps the fact that the person saw.
  const update = db.prepare(`
    UPDATE tasks SET fact = @fact, digest = @digest, size = @size
    WHERE id = @id AND ended_at IS NULL AND (is_closed = 0 OR @isReopened)`);
  const reopen = db.prepare(REOPEN_SQL);
  const end = db.prepare('UPDATE tasks SET ended_at = ? WHERE id = ? AND ended_at IS NULL');
  db.transaction(() => {
    for (const id of ended) end.run(at, id);
    for (const { name, journalId, fact, digest, size } of begun)
      insert.run(name, journalId, JSON.stringify(fact), digest, JSON.stringify(size), at, at);
    for (const { id, fact, digest, size, isReopened } of changed) {
      update.run({
        id,
        fact: JSON.stringify(fact),
        digest,
        size: JSON.stringify(size),
        isReopened: Number(isReopened),
      });
      if (isReopened) reopen.run(at, id);
    }
  }).immediate();
}

const REOPEN_SQL = `
  UPDATE tasks SET is_closed = 0, opening = opening + 1, opened_at = ? WHERE id = ? AND is_closed AND ended_at IS NULL`;

/** Marks tasks and notes an act for each. Changes nothing if one of them is unknown, or has changed since the person saw it. */
export function markTasks(db: Connection, { tasks, kind, note }: NewTaskMark, actor: string, now: number): MarkResult {
  return db
    .transaction((): MarkResult => {
      const present = new Map(listTasks(db).map((task) => [task.id, task]));
      const chosen = tasks.map(({ id, version }) => ({ task: present.get(id), version }));
      const update = db.prepare('UPDATE tasks SET is_closed = 1, mark = ? WHERE id = ?');
      if (chosen.some(({ task }) => task === undefined)) return 'unknown';
      if (chosen.some(({ task, version }) => task !== undefined && versionOf(task) !== version)) return 'changed';
      const mark: TaskMark = { kind, note, actor, at: now };
      for (const { task } of chosen) {
        if (task === undefined) continue;
        update.run(JSON.stringify(mark), task.id);
        noteAct(db, { ...placeOf(db, task), act: { kind: 'mark task', as: kind, note, fact: task.fact } }, actor, now);
      }
      return 'marked';
    })
    .immediate();
}

export function reopenTask(db: Connection, id: number, actor: string, now: number): boolean {
  return db
    .transaction(() => {
      const task = listTasks(db).find((each) => each.id === id);
      if (task === undefined || db.prepare(REOPEN_SQL).run(now, id).changes === 0) return false;
      noteAct(db, { ...placeOf(db, task), act: { kind: 'reopen task', fact: task.fact } }, actor, now);
      return true;
    })
    .immediate();
}

function placeOf(db: Connection, { journalId }: StoredTask): { administration?: string; mode?: 'production' | 'test' } {
  const found = db
    .prepare<[number | null], { administration: string; mode: 'production' | 'test' }>(
      'SELECT name AS administration, mode FROM journals JOIN administrations ON administrations.id = administration_id WHERE journals.id = ?',
    )
    .get(journalId);
  return found ?? {};
}

export function noteTasksSeen(db: Connection, ids: readonly number[], actor: string, now: number): void {
  const insert = db.prepare(
    'INSERT INTO task_views (task_id, actor, at) SELECT id, ?, ? FROM tasks WHERE id = ? ON CONFLICT DO NOTHING',
  );
  db.transaction(() => {
    for (const id of ids) insert.run(actor, now, id);
  }).immediate();
}

/** Exported for the test that asserts the query plans. */
export const TASK_SOURCES_SQL = {
  conflicts: `
    SELECT counts.journal_id AS journalId, starts_at AS startsAt, label AS till, sum(records) AS records
    FROM journals CROSS JOIN counts ON counts.journal_id = journals.id JOIN tills ON tills.id = till_id
    WHERE interface IN ('current', 'earlier') AND status = 'ERROR' AND width = 900
    GROUP BY counts.journal_id, starts_at, label ORDER BY counts.journal_id, starts_at`,
  held: `
    SELECT lanes.id AS laneId, max(last_at) AS lastAt FROM lanes CROSS JOIN delivery_counts ON lane_id = lanes.id
    WHERE lanes.held > 0 AND delivery_counts.state = 'held' GROUP BY lanes.id`,
};

/** Reads counts and not records, so its time does not depend on the number of records. */
export function openTaskSourceReader(db: Connection): () => TaskSources {
  const conflicts = db.prepare<[], TaskSources['conflicts'][number]>(TASK_SOURCES_SQL.conflicts);
  const held = db.prepare<[], TaskSources['held'][number]>(TASK_SOURCES_SQL.held);
  return () => ({ conflicts: conflicts.all(), held: held.all() });
}
