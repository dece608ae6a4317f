// How the to-do list changes with the facts.

import { describe, expect, test } from 'vitest';

import type { FoundTask, StoredTask } from '../../../server/store/tasks/ledger.ts';
import { applyChanges, covers, inOrder, planTasks } from '../../../server/todo/plan.ts';

const HELD: FoundTask = {
  name: 'held 1',
  journalId: 1,
  fact: { kind: 'held', interface: 'current', records: 2 },
  digest: 'a',
  size: [2, 100],
};
const STORED: StoredTask = {
  ...HELD,
  id: 7,
  beganAt: 1,
  openedAt: 1,
  opening: 1,
  isClosed: false,
  mark: null,
  seen: [],
};
const MARKED: StoredTask = {
  ...STORED,
  isClosed: true,
  mark: { kind: 'not a problem', note: 'known', actor: 'Ann', at: 2 },
};
const kept = (is: boolean) => () => is;
const NOTHING = { begun: [], changed: [], ended: [], at: 9 };

describe('a mark covers a fact', () => {
  test.each([
    ['that is the same', { size: [2, 100] }, true],
    ['that has become smaller', { size: [1, 100] }, true],
    ['that has grown', { size: [3, 100] }, false],
    ['with the same number of other records', { size: [2, 101] }, false],
    ['with another digest', { digest: 'b' }, false],
    ['of another form', { size: [2] }, false],
  ])('%s: %j: %s', (_, change, is) => {
    expect(covers(MARKED, { ...HELD, ...change })).toBe(is);
  });
});

test('a new fact begins a task, and a second reading changes nothing', () => {
  expect(planTasks([], { found: [HELD], isKept: kept(false) }, 9)).toEqual({ ...NOTHING, begun: [HELD] });
  expect(planTasks([STORED], { found: [HELD], isKept: kept(false) }, 9)).toEqual(NOTHING);
});

test('a marked task returns when its fact gets worse, with its mark, as a new opening', () => {
  const worse = { ...HELD, size: [3, 300] };
  const plan = planTasks([MARKED], { found: [worse], isKept: kept(false) }, 9);
  expect(plan.changed).toMatchObject([{ id: 7, size: [3, 300], isReopened: true }]);
  expect(applyChanges([MARKED], plan)).toMatchObject([
    { isClosed: false, opening: 2, openedAt: 9, size: [3, 300], mark: MARKED.mark },
  ]);
});

test('a marked fact that becomes smaller and then grows to the marked size stays covered', () => {
  const better = planTasks([MARKED], { found: [{ ...HELD, size: [1, 100] }], isKept: kept(false) }, 9);
  expect(better).toEqual(NOTHING);
});

test('a task ends with its fact, unless it is kept', () => {
  expect(planTasks([STORED], { found: [], isKept: kept(false) }, 9)).toEqual({ ...NOTHING, ended: [7] });
  expect(planTasks([STORED], { found: [], isKept: kept(true) }, 9)).toEqual(NOTHING);
});

test('a mark on one task covers no other task', () => {
  const other = { ...HELD, name: 'held 2' };
  const plan = planTasks([MARKED], { found: [HELD, other], isKept: kept(false) }, 9);
  expect(applyChanges([MARKED], plan).filter(({ isClosed }) => !isClosed)).toMatchObject([{ name: 'held 2' }]);
});

test('open tasks come first, then urgent ones, then the newest day', () => {
  const day = (date: string): StoredTask => ({
    ...STORED,
    name: date,
    fact: { kind: 'day_differs', date, reasons: [], missing: [] },
  });
  const clock: StoredTask = { ...STORED, name: 'clock', fact: { kind: 'clock_wrong' } };
  const all = [MARKED, day('2026-11-03'), day('2026-11-04'), clock];
  expect(inOrder(all).map(({ name }) => name)).toEqual(['clock', '2026-11-04', '2026-11-03', 'held 1']);
});
