// When a receiver gets an alert, and about which tasks.

import { describe, expect, test } from 'vitest';

import { conditionAfter, isQuiet, MAX_TASKS, planAlerts } from '../../../server/alert/plan.ts';
import type { StoredReceiver } from '../../../server/store/alerts/ledger.ts';
import type { StoredTask } from '../../../server/store/tasks/ledger.ts';

const NOON = Date.parse('2026-11-20T12:00Z');
const HOUR = 3_600_000;

function taskOf(id: number, more: Partial<StoredTask> = {}): StoredTask {
  return {
    id,
    name: `task ${id}`,
    journalId: null,
    fact: { kind: 'backup_old', lastAt: null },
    digest: '',
    size: [],
    beganAt: 0,
    openedAt: 0,
    opening: 1,
    isClosed: false,
    mark: null,
    seen: [],
    ...more,
  };
}

function receiverOf(
  more: Partial<StoredReceiver> = {},
  settings: Partial<StoredReceiver['settings']> = {},
): StoredReceiver {
  return {
    id: 1,
    kind: 'webhook',
    destination: undefined,
    shown: '',
    digestOn: '2026-11-20',
    state: { lastSentAt: null, failing: null },
    alerts: [],
    ...more,
    settings: {
      name: 'Mia',
      language: 'en',
      timeZone: 'UTC',
      choice: 'all',
      quiet: null,
      digestAt: null,
      ...settings,
    },
  };
}

test('a new task is told once, and again only when it returns', () => {
  const plan = planAlerts(receiverOf(), [taskOf(5)], NOON);
  expect(plan).toMatchObject({ added: [{ taskId: 5, opening: 1 }], send: { kind: 'alert', tasks: [{ id: 5 }] } });
  const told = receiverOf({ alerts: [{ taskId: 5, opening: 1, state: 'sent' }] });
  expect(planAlerts(told, [taskOf(5)], NOON).send).toBeNull();
  expect(planAlerts(told, [taskOf(5, { opening: 2 })], NOON).send).toMatchObject({ tasks: [{ id: 5 }] });
});

test('a message that was not stored as sent has the same id after a restart', () => {
  const first = planAlerts(receiverOf(), [taskOf(5)], NOON);
  const waiting = receiverOf({ alerts: [{ taskId: 5, opening: 1, state: 'waiting' }] });
  expect(planAlerts(waiting, [taskOf(5)], NOON + HOUR).send?.id).toBe(first.send?.id);
});

test('a task that was marked or has ended before it was told is dropped', () => {
  const waiting = receiverOf({ alerts: [{ taskId: 5, opening: 1, state: 'waiting' }] });
  expect(planAlerts(waiting, [taskOf(5, { isClosed: true })], NOON)).toMatchObject({
    send: null,
    dropped: [{ taskId: 5 }],
  });
  expect(planAlerts(waiting, [], NOON)).toMatchObject({ send: null, dropped: [{ taskId: 5 }] });
});

test.each([
  ['all', 2],
  ['urgent', 1],
  ['none', 0],
] as const)('a receiver that chose %s is told about %i of two tasks', (choice, told) => {
  const tasks = [taskOf(1), taskOf(2, { fact: { kind: 'clock_wrong' } })];
  expect(planAlerts(receiverOf({}, { choice }), tasks, NOON).send?.tasks.length ?? 0).toBe(told);
});

describe('quiet hours', () => {
  test.each([
    [null, 0, false],
    [{ from: 1320, to: 420 }, 1319, false],
    [{ from: 1320, to: 420 }, 1320, true],
    [{ from: 1320, to: 420 }, 0, true],
    [{ from: 1320, to: 420 }, 419, true],
    [{ from: 1320, to: 420 }, 420, false],
    [{ from: 60, to: 120 }, 90, true],
    [{ from: 60, to: 120 }, 120, false],
  ])('%j at minute %i: %s', (quiet, minutes, is) => expect(isQuiet(quiet, minutes)).toBe(is));

  test('an alert waits until they end, in the zone of the receiver', () => {
    const receiver = receiverOf({}, { quiet: { from: 13 * 60, to: 14 * 60 }, timeZone: 'Europe/Amsterdam' });
    expect(planAlerts(receiver, [taskOf(5)], NOON)).toMatchObject({ send: null, added: [{ taskId: 5 }] });
    expect(planAlerts(receiver, [taskOf(5)], NOON + HOUR).send).not.toBeNull();
  });
});

describe('the digest', () => {
  const settings = { digestAt: 8 * 60, choice: 'none' } as const;
  const yesterday = { digestOn: '2026-11-19' };
  test('has all open tasks once a day, also those that were told before', () => {
    const receiver = receiverOf({ ...yesterday, alerts: [{ taskId: 5, opening: 1, state: 'sent' }] }, settings);
    const plan = planAlerts(receiver, [taskOf(5), taskOf(6), taskOf(7, { isClosed: true })], NOON);
    expect(plan).toMatchObject({ send: { kind: 'digest', tasks: [{ id: 5 }, { id: 6 }] }, digestOn: '2026-11-20' });
    expect(planAlerts({ ...receiver, digestOn: '2026-11-20' }, [taskOf(5)], NOON).send).toBeNull();
    expect(planAlerts(receiver, [taskOf(5)], NOON - 5 * HOUR).send).toBeNull();
  });
  test('is not sent without open tasks', () => {
    expect(planAlerts(receiverOf(yesterday, settings), [], NOON)).toMatchObject({ send: null, digestOn: '2026-11-20' });
  });
  test('waits for the next attempt while sending fails, and its day stays open', () => {
    const state = conditionAfter({ lastSentAt: null, failing: null }, { code: 'rejected', detail: '500' }, NOON, 1);
    const plan = planAlerts(receiverOf({ ...yesterday, state }, settings), [taskOf(5)], NOON);
    expect([plan.send, plan.digestOn]).toEqual([null, undefined]);
  });
});

test('many tasks make few messages: at most one a minute, with a limit of tasks', () => {
  const tasks = Array.from({ length: MAX_TASKS + 3 }, (_, i) => taskOf(i + 1));
  const plan = planAlerts(receiverOf(), tasks, NOON);
  expect([plan.send?.tasks.length, plan.send?.more]).toEqual([MAX_TASKS, 3]);
  const justSent = receiverOf({ state: { lastSentAt: NOON - 1000, failing: null } });
  expect(planAlerts(justSent, tasks, NOON).send).toBeNull();
});

test('retries back off from half a minute to an hour, and never end', () => {
  const waits: number[] = [];
  let state: StoredReceiver['state'] = { lastSentAt: 7, failing: null };
  for (let i = 0; i < 20; i++) {
    state = conditionAfter(state, { code: 'no_answer', detail: null }, NOON, 1);
    waits.push((state.failing?.nextAt ?? 0) - NOON);
  }
  expect(waits.slice(0, 3)).toEqual([30_000, 60_000, 120_000]);
  expect(waits.at(-1)).toBe(HOUR);
  expect(state).toMatchObject({ lastSentAt: 7, failing: { since: NOON, attempts: 20, code: 'no_answer' } });
  expect(planAlerts(receiverOf({ state }), [taskOf(5)], NOON + HOUR).send).not.toBeNull();
  expect(conditionAfter(state, null, NOON, 1)).toEqual({ lastSentAt: NOON, failing: null });
});

test('a wait that the other side asks for is obeyed, up to an hour', () => {
  const wait = (ms: number) =>
    (conditionAfter({ lastSentAt: null, failing: null }, { code: 'rejected', detail: '429' }, NOON, 0, ms).failing
      ?.nextAt ?? 0) - NOON;
  expect([wait(0), wait(600_000), wait(9 * HOUR)]).toEqual([15_000, 600_000, HOUR]);
});

test('a clock that was set back does not stop alerts', () => {
  const state = conditionAfter(
    { lastSentAt: null, failing: null },
    { code: 'no_answer', detail: null },
    NOON + 24 * HOUR,
    1,
  );
  expect(planAlerts(receiverOf({ state }), [taskOf(5)], NOON).send).not.toBeNull();
});
