// Tasks of the to-do list as the commands print them: their names, their words and their JSON.

import { createHash } from 'node:crypto';

import { plainFormats } from '../contract/task-formats.ts';
import { taskWords } from '../contract/task-words.ts';
import type { TaskText } from '../contract/task-words/words.ts';
import type { TaskView } from '../contract/todo.ts';
import { machineZone } from '../lib/calendar.ts';
import { formatMilliseconds } from '../lib/instant.ts';
import type { Store } from '../store/store.ts';

/** Returns the name of a task, with the version of its fact that the person sees. A mark applies only to this version. */
export function nameOf({ id, version }: TaskView): string {
  return `${id}-${shorten(version)}`;
}

export function shorten(version: string): string {
  return createHash('sha256').update(version).digest('hex').slice(0, 6);
}

/** The time zone of each journal, by its id. */
export type Zones = ReadonlyMap<number, string>;

export async function readZones(store: Store): Promise<Zones> {
  return new Map((await store.setup.listJournals()).map(({ id, timeZone }) => [id, timeZone]));
}

/** A task as one line: its journal, what is wrong and what to do. */
export function lineOf(task: TaskView, zones: Zones): string {
  const { what, action } = wordsOf(task, zones);
  // Calls without a known key have one task for each code, and the same words.
  const code = task.fact.kind === 'refusals' ? ` Code: ${task.fact.code}.` : '';
  const place = task.journal === null ? '' : `${task.journal.administration}, ${task.journal.mode}: `;
  return `${place}${what}${code} ${action}`;
}

export function wordsOf(task: TaskView, zones: Zones): TaskText {
  return taskWords(task.fact, 'en', plainFormats('en', zoneOf(task, zones)));
}

/**
 * A sentence about the time zone of the times in these tasks, which have no zone of their own. Undefined if no task has a time.
 * Other times that the commands print are in UTC and end with Z.
 */
export function zoneNote(tasks: readonly TaskView[], zones: Zones): string | undefined {
  const stores = new Map<string, Set<string>>();
  for (const task of tasks) {
    if (!hasTime(task)) continue;
    const zone = zoneOf(task, zones);
    const names = stores.get(zone) ?? new Set();
    stores.set(zone, names.add(task.journal?.administration ?? 'this machine'));
  }
  const [only, ...others] = stores.keys();
  if (only === undefined) return undefined;
  const said =
    others.length === 0 ? only : [...stores].map(([zone, names]) => `${zone} (${[...names].join(', ')})`).join(', ');
  return `Times without a Z are in the time zone ${said}.`;
}

/** Whether the words of a task have a time of day. */
function hasTime({ fact }: TaskView): boolean {
  let isFormatted = false;
  const formats = plainFormats('en', 'UTC');
  taskWords(fact, 'en', { ...formats, time: (at) => ((isFormatted = true), formats.time(at)) });
  return isFormatted;
}

function zoneOf({ journal }: TaskView, zones: Zones): string {
  return zones.get(journal?.id ?? 0) ?? machineZone();
}

export function jsonOf(task: TaskView, zones: Zones) {
  const { id, fact, journal, isUrgent, isOpen, mark: said, seen, beganAt, openedAt } = task;
  return {
    id,
    task: nameOf(task),
    kind: fact.kind,
    administration: journal?.administration ?? null,
    mode: journal?.mode ?? null,
    ...wordsOf(task, zones),
    isUrgent,
    isOpen,
    beganAt: formatMilliseconds(beganAt),
    openedAt: formatMilliseconds(openedAt),
    fact,
    mark: said && { ...said, at: formatMilliseconds(said.at) },
    seen: seen.map(({ actor, at }) => ({ actor, at: formatMilliseconds(at) })),
  };
}
