// `counterfoil todo`: lists the tasks, and marks or reopens them.

import { type Command, Option } from 'commander';

import { healthOf } from '../bad-news.ts';
import { ACTORS } from '../contract/codes.ts';
import { plainFormats } from '../contract/task-formats.ts';
import { taskWords } from '../contract/task-words.ts';
import { MAX_NOTE_LENGTH, TASK_MARKS, type TaskMarkKind } from '../contract/todo.ts';
import { dataDirectory, shownCommand } from '../data-location.ts';
import { OperatorError, UsageError } from '../errors.ts';
import { machineZone } from '../lib/calendar.ts';
import { isOwned } from '../store/data-directory.ts';
import type { Store } from '../store/store.ts';
import { type StoredTask, versionOf } from '../store/tasks/ledger.ts';
import { applyChanges, planTasks } from '../todo/plan.ts';
import { viewTasks } from '../todo/todo.ts';
import { readFinding } from './finding.ts';
import { type CommonOptions, inert, printJson, withCommonOptions, withStore, wholeNumber } from './output.ts';
import { jsonOf, lineOf, nameOf, shorten, readZones, zoneNote } from './task-text.ts';

interface MarkOptions extends CommonOptions {
  readonly as: TaskMarkKind;
  readonly note: string;
}

/**
 * The options --data and --json belong to the parent command, but the user may write them before or after a subcommand (`mark`
 * or `reopen`).
 */
export function bindTodo(program: Command): void {
  const todo = withCommonOptions(
    program
      .command('todo')
      .description('list what people must look at, the most urgent first')
      .option('--all', 'also list tasks that people have marked'),
  ).action(list);
  withCommonOptions(
    todo
      .command('mark')
      .description(
        'mark a task as done, or as not a problem; the task comes back if the situation changes or gets worse',
      )
      .argument('<task>', 'the task as listed, such as 12-3fa9c1')
      .addOption(new Option('--as <mark>', 'the mark').choices(TASK_MARKS).default('done'))
      .option('--note <text>', 'a note for others; required if the task is not a problem', ''),
  ).action((task: string, _: unknown, command: Command) => mark(task, command.optsWithGlobals()));
  withCommonOptions(
    todo.command('reopen').description('withdraw the mark of a task').argument('<task>', 'the task as listed'),
  ).action((task: string, _: unknown, command: Command) => reopen(task, command.optsWithGlobals()));
}

async function list(options: CommonOptions & { readonly all?: true }): Promise<void> {
  const { tasks, zones } = await withStore(options, async (store) => ({
    tasks: viewTasks(store, await readTasks(store, dataDirectory(options.data)), undefined),
    zones: await readZones(store),
  }));
  const shown = tasks.filter(({ isOpen }) => isOpen || options.all === true);
  if (options.json === true) return printJson(shown.map((task) => jsonOf(task, zones)));
  if (shown.length === 0) return console.log('Nothing to do.');
  for (const task of shown) {
    console.log(inert(`${nameOf(task).padEnd(11)} ${lineOf(task, zones)}`));
    if (task.mark !== null) {
      const { kind, actor, note } = task.mark;
      const said = `${kind}, according to ${actor}${note === '' ? '' : `: ${note}`}`;
      console.log(inert(`${' '.repeat(12)}${task.isOpen ? `Before it changed: ${said}` : said}`));
    }
  }
  const note = zoneNote(shown, zones);
  if (note !== undefined) console.log(`\n${inert(note)}`);
  const first = shown.find(({ isOpen }) => isOpen);
  if (first !== undefined) console.log(`\nTo mark a task: ${shownCommand(options.data, `todo mark ${nameOf(first)}`)}`);
}

/**
 * Returns the stored tasks if a gateway runs, because the gateway keeps them up to date. If none runs, first updates the stored
 * tasks.
 */
async function readTasks(store: Store, dataDir: string): Promise<readonly StoredTask[]> {
  const stored = await store.tasks.list();
  if (isOwned(dataDir)) return stored;
  const machine = await store.health.readMachine();
  const finding = await readFinding(store, {
    isRunning: false,
    health: healthOf({ trouble: null, unwrittenRefusals: 0, machine }),
    network: undefined,
    now: Date.now(),
    onFault: (error) => console.error(`Not everything could be read: ${String(error)}`),
  });
  await store.tasks.update(planTasks(stored, finding, Date.now()));
  const after = await store.tasks.list();
  return applyChanges(after, planTasks(after, finding, Date.now()));
}

async function mark(given: string, options: MarkOptions): Promise<void> {
  const { as: kind } = options;
  const note = options.note.trim();
  const { id, version } = parseTask(given);
  if (version === undefined)
    throw new UsageError(
      `<task> must be a task as ${shownCommand(options.data, 'todo')} lists it, such as ${id}-3fa9c1.`,
    );
  if (kind === 'not a problem' && note === '') throw new UsageError('--note must say why this is not a problem.');
  if (note.length > MAX_NOTE_LENGTH) throw new UsageError(`--note must have at most ${MAX_NOTE_LENGTH} characters.`);
  const task = await withStore(options, async (store) => {
    const found = (await store.tasks.list()).find((each) => each.id === id);
    if (found === undefined) throw unknownTask(id, options);
    const tasks = [{ id, version: versionOf(found) }];
    const isAsListed = shorten(versionOf(found)) === version;
    if (!isAsListed || (await store.tasks.mark({ tasks, kind, note }, ACTORS.commandLine)) !== 'marked')
      throw new OperatorError(`The task ${id} has changed since it was listed. List the tasks again.`);
    return found;
  });
  if (options.json === true) return printJson({ id, mark: kind, note });
  console.log(inert(`Marked as ${kind}: ${taskWords(task.fact, 'en', plainFormats('en', machineZone())).what}`));
}

async function reopen(given: string, options: CommonOptions): Promise<void> {
  const { id } = parseTask(given);
  const isReopened = await withStore(options, (store) => store.tasks.reopen(id, ACTORS.commandLine));
  if (!isReopened) throw new OperatorError(`The task ${id} does not exist or has no mark.`);
  if (options.json === true) return printJson({ id });
  console.log(`The task ${id} is open again.`);
}

/** Reads the name of a task in the form that `todo` prints. `version` is undefined if the user gave only the number. */
function parseTask(text: string): { readonly id: number; readonly version: string | undefined } {
  const [number = '', version, ...more] = text.trim().toLowerCase().split('-');
  if (more.length > 0) throw new UsageError('<task> must be a task as listed, such as 12-3fa9c1.');
  return { id: wholeNumber('<task>')(number), version };
}

function unknownTask(id: number, { data }: CommonOptions): OperatorError {
  return new OperatorError(`The task ${id} does not exist any more; ${shownCommand(data, 'todo')} lists the tasks.`);
}
