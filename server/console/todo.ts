// Routes of the to-do list. They return tasks, and store marks. They also store which person has seen a task.

import { z } from 'zod';

import {
  MAX_MARKED_TASKS,
  MAX_NOTE_LENGTH,
  TASK_MARKS,
  type TaskMarkRequest,
  type TasksSeenRequest,
  type TodoView,
} from '../contract/todo.ts';
import { assertNever, ConsoleError } from '../errors.ts';
import { readJournal } from './journal.ts';
import { type ConsoleParts, sessionOf } from './parts.ts';
import { assertNoQuery, nothingHere, readBody, readId } from './request.ts';
import type { Routes } from './rights.ts';

const id = z.int().positive();
const note = z
  .string()
  .trim()
  .refine((text) => text.length <= MAX_NOTE_LENGTH && text.isWellFormed(), {
    error: `must have at most ${MAX_NOTE_LENGTH} characters`,
    params: { code: 'length' },
  });
const markRequest = z
  .strictObject({
    tasks: z
      .array(z.strictObject({ id, version: z.string().max(1000) }))
      .min(1)
      .max(MAX_MARKED_TASKS),
    kind: z.enum(TASK_MARKS),
    note,
  })
  .refine(({ kind, note: said }) => kind === 'done' || said !== '', {
    path: ['note'],
    error: 'must say why this is not a problem',
    params: { code: 'length' },
  }) satisfies z.ZodType<TaskMarkRequest>;
const seenRequest = z.strictObject({
  tasks: z.array(id).max(MAX_MARKED_TASKS),
}) satisfies z.ZodType<TasksSeenRequest>;

export function bindTodo(routes: Routes, { store, todo, clock, live }: ConsoleParts): void {
  routes.forClerks.get('/api/todo', async (req, res) => {
    const { journalId } = readJournal(req, store);
    res.json({ now: clock.now(), tasks: await todo.list(journalId) } satisfies TodoView);
  });

  routes.forClerks.post('/api/todo/marks', async (req, res) => {
    assertNoQuery(req);
    const result = await todo.mark(readBody(req, markRequest), sessionOf(res).actor);
    switch (result) {
      case 'marked':
        return void res.status(201).json({});
      case 'unknown':
        throw nothingHere('This task does not exist any more.');
      case 'changed':
        throw new ConsoleError('task_changed', {
          detail: 'The task has changed since it was shown. Read the task again.',
        });
      default:
        return assertNever(result);
    }
  });

  routes.forClerks.post('/api/todo/seen', async (req, res) => {
    assertNoQuery(req);
    await todo.noteSeen(readBody(req, seenRequest).tasks, sessionOf(res).actor);
    live.note('todo');
    res.json({});
  });

  routes.forClerks.post('/api/todo/:id/reopen', async (req, res) => {
    assertNoQuery(req);
    if (!(await todo.reopen(readId(req), sessionOf(res).actor))) throw nothingHere('This task has no mark.');
    res.json({});
  });
}
