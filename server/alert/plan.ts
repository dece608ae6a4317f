// Decides what to send to a receiver now. This depends on new tasks, the receiver's quiet hours, and the time of the next
// retry. Pure.

import { createHash } from 'node:crypto';

import type { AlertFault } from '../contract/alerts.ts';
import { isUrgent } from '../contract/todo.ts';
import { clockAt } from '../store-day.ts';
import type { AlertKey, DeliveryCondition, StoredReceiver } from '../store/alerts/ledger.ts';
import type { StoredTask } from '../store/tasks/ledger.ts';
import { UNSTORED_ID } from './unstored.ts';

/** Minimum time between two messages to a receiver. If several tasks become open within this time, they share one message. */
const MIN_APART_MS = 60_000;
const BACKOFF_MS = { first: 30_000, max: 60 * 60_000 };
/** Maximum tasks in one message. */
export const MAX_TASKS = 40;

export interface AlertPlan {
  /** New alerts of stored tasks for this receiver, which the caller must store as waiting. */
  readonly added: readonly AlertKey[];
  /** Waiting alerts that are no longer needed, because their tasks ended or were marked. The caller must remove them. */
  readonly dropped: readonly AlertKey[];
  /** The message to send now; null if there is none. */
  readonly send: {
    readonly kind: 'alert' | 'digest';
    /** The first `MAX_TASKS` tasks, in the order of the to-do list. */
    readonly tasks: readonly StoredTask[];
    /** The number of further tasks, which this message leaves out. */
    readonly more: number;
    readonly id: string;
  } | null;
  /** The date to store as the date of the last digest. Undefined if the stored date stays valid. */
  readonly digestOn?: string;
}

/** The keys of the tasks that are stored. */
export function listStored(tasks: readonly StoredTask[]): AlertKey[] {
  return tasks.filter(({ id }) => id !== UNSTORED_ID).map(({ id, opening }) => ({ taskId: id, opening }));
}

const keyOf = ({ taskId, opening }: AlertKey): string => `${taskId} ${opening}`;

/**
 * Returns the plan for a receiver. `tasks` are all tasks that alerts may mention, in the order of the to-do list. `now` is in
 * epoch milliseconds.
 */
export function planAlerts(receiver: StoredReceiver, tasks: readonly StoredTask[], now: number): AlertPlan {
  const { settings, state, alerts, digestOn } = receiver;
  const open = tasks.filter(({ isClosed }) => !isClosed);
  const wanted = open.filter(
    ({ fact }) => settings.choice === 'all' || (settings.choice === 'urgent' && isUrgent(fact)),
  );
  const known = new Map(alerts.map((alert) => [keyOf(alert), alert.state]));
  const keys = wanted.map((task) => ({ task, key: { taskId: task.id, opening: task.opening } }));
  const added = listStored(wanted).filter((key) => !known.has(keyOf(key)));
  const present = new Set(keys.map(({ key }) => keyOf(key)));
  const dropped = alerts.filter((alert) => alert.state === 'waiting' && !present.has(keyOf(alert)));
  const mayTry = now >= (state.failing?.nextAt ?? 0) || isClockBack(state.failing?.nextAt, now);
  const local = clockAt(Math.floor(now / 1000), settings.timeZone);
  const minutes = minutesOf(local.time);

  if (settings.digestAt !== null && minutes >= settings.digestAt && digestOn !== local.date) {
    if (open.length === 0) return { added, dropped, send: null, digestOn: local.date };
    if (mayTry)
      return { added, dropped, send: messageOf('digest', open, `${receiver.id} ${local.date}`), digestOn: local.date };
  }
  const news = keys.filter(({ key }) => known.get(keyOf(key)) !== 'sent').map(({ task }) => task);
  const isTooSoon = state.lastSentAt !== null && Math.abs(now - state.lastSentAt) < MIN_APART_MS;
  if (news.length === 0 || !mayTry || isTooSoon || isQuiet(settings.quiet, minutes))
    return { added, dropped, send: null };
  return { added, dropped, send: messageOf('alert', news, `${receiver.id}`) };
}

function messageOf(kind: 'alert' | 'digest', all: readonly StoredTask[], seed: string): NonNullable<AlertPlan['send']> {
  const tasks = all.slice(0, MAX_TASKS);
  const content = [kind, seed, ...tasks.map(openingOf)].join('\n');
  const id = `msg_${createHash('sha256').update(content).digest('base64url').slice(0, 27)}`;
  return { kind, tasks, more: all.length - tasks.length, id };
}

/** Returns a text that is different for each opening of a task. A task that is not stored has only its name and its time. */
function openingOf({ id, opening, name, openedAt }: StoredTask): string {
  return id === UNSTORED_ID ? `${name} ${openedAt}` : `${id} ${opening}`;
}

/** Whether a time is within quiet hours, which may cross midnight. `minutes` is counted from midnight. */
export function isQuiet(quiet: StoredReceiver['settings']['quiet'], minutes: number): boolean {
  if (quiet === null) return false;
  const { from, to } = quiet;
  return from <= to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** Whether a retry is planned further ahead than the longest back-off. If so, somebody must have set the clock back. */
function isClockBack(nextAt: number | undefined, now: number): boolean {
  return nextAt !== undefined && nextAt - now > 2 * BACKOFF_MS.max;
}

/**
 * Returns a receiver's condition after an attempt. `random` is from 0 to 1. `afterMs` is the wait that the other side asked
 * for, in milliseconds.
 */
export function conditionAfter(
  before: DeliveryCondition,
  fault: AlertFault | null,
  now: number,
  random: number,
  afterMs = 0,
): DeliveryCondition {
  if (fault === null) return { lastSentAt: now, failing: null };
  const attempts = (before.failing?.attempts ?? 0) + 1;
  const backOff = Math.min(BACKOFF_MS.max, BACKOFF_MS.first * 2 ** Math.min(attempts - 1, 10));
  const wait = Math.max(Math.min(afterMs, BACKOFF_MS.max), backOff * (0.5 + random / 2));
  return {
    lastSentAt: before.lastSentAt,
    failing: { ...fault, since: before.failing?.since ?? now, attempts, nextAt: Math.round(now + wait) },
  };
}
