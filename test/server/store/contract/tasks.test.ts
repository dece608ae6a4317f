// The contract of the ledger of tasks, for every engine.

import { describe, expect, test } from 'vitest';

import { type FoundTask, versionOf } from '../../../../server/store/tasks/ledger.ts';
import { TASK_FACTS } from '../../../support/task-facts.ts';
import { arrivalOf, makeKey } from '../../../support/temp-store.ts';
import { engines } from './engines.ts';

const CLOCK: FoundTask = { name: 'clock', journalId: null, fact: { kind: 'clock_wrong' }, digest: 'a', size: [1, 2] };
const NONE = { begun: [], changed: [], ended: [], at: 5 };

describe.each(engines)('tasks on $name', ({ makeSite }) => {
  test('a task begins once, survives a restart and ends once', async () => {
    const site = makeSite();
    const before = await site.open();
    await before.tasks.update({ ...NONE, begun: [CLOCK, CLOCK] });
    await before.tasks.update({ ...NONE, begun: [CLOCK], at: 6 });
    await before.close();
    const { tasks } = await site.open();
    const [task, ...more] = await tasks.list();
    expect(more).toEqual([]);
    expect(task).toEqual({
      ...CLOCK,
      id: 1,
      beganAt: 5,
      openedAt: 5,
      opening: 1,
      isClosed: false,
      mark: null,
      seen: [],
    });
    await tasks.update({ ...NONE, ended: [1] });
    expect(await tasks.list()).toEqual([]);
    await tasks.update({ ...NONE, begun: [CLOCK] });
    expect(await tasks.list()).toMatchObject([{ id: 2, mark: null }]);
  });

  test('every form of a fact is read back as it was', async () => {
    const { tasks } = await makeSite().open();
    const begun = TASK_FACTS.map(([fact], i) => ({ ...CLOCK, name: String(i), fact }));
    await tasks.update({ ...NONE, begun });
    expect((await tasks.list()).map(({ fact }) => fact)).toEqual(TASK_FACTS.map(([fact]) => fact));
  });

  test('a mark is noted with its store, covers the version that was seen only, and can be withdrawn', async () => {
    const store = await makeSite().open({ now: () => 70 });
    const { tasks, setup } = store;
    const { journalId } = await makeKey(store);
    await tasks.update({ ...NONE, begun: [{ ...CLOCK, journalId }] });
    const mark = (version: string, id = 1) =>
      tasks.mark({ tasks: [{ id, version }], kind: 'not a problem', note: 'seen' }, 'Ann');
    expect(await mark('old')).toBe('changed');
    expect(await mark(versionOf(CLOCK), 9)).toBe('unknown');
    expect(await tasks.list()).toMatchObject([{ isClosed: false }]);
    expect(await mark(versionOf(CLOCK))).toBe('marked');
    const said = { kind: 'not a problem', note: 'seen', actor: 'Ann', at: 70 };
    expect(await tasks.list()).toMatchObject([{ isClosed: true, mark: said, opening: 1 }]);
    expect(await tasks.reopen(1, 'Ben')).toBe(true);
    expect(await tasks.reopen(1, 'Ben')).toBe(false);
    expect(await tasks.list()).toMatchObject([{ isClosed: false, mark: said, opening: 2, openedAt: 70 }]);
    const where = { administration: 'Bakery', mode: 'production' };
    expect(await setup.listActs({ limit: 2 })).toMatchObject([
      { ...where, actor: 'Ben', act: { kind: 'reopen task', fact: CLOCK.fact } },
      { ...where, actor: 'Ann', act: { kind: 'mark task', as: 'not a problem', note: 'seen', fact: CLOCK.fact } },
    ]);
  });

  test('of several tasks, all are marked or none', async () => {
    const { tasks } = await makeSite().open();
    await tasks.update({ ...NONE, begun: [CLOCK, { ...CLOCK, name: 'other' }] });
    const both = [
      { id: 1, version: versionOf(CLOCK) },
      { id: 2, version: 'old' },
    ];
    expect(await tasks.mark({ tasks: both, kind: 'done', note: '' }, 'Ann')).toBe('changed');
    expect((await tasks.list()).map(({ isClosed }) => isClosed)).toEqual([false, false]);
  });

  test('a fact that has changed reopens a marked task, and keeps its mark', async () => {
    const { tasks } = await makeSite().open();
    await tasks.update({ ...NONE, begun: [CLOCK] });
    await tasks.mark({ tasks: [{ id: 1, version: versionOf(CLOCK) }], kind: 'done', note: '' }, 'Ann');
    const worse = { id: 1, fact: CLOCK.fact, digest: 'b', size: [3], isReopened: true };
    await tasks.update({ ...NONE, changed: [worse], at: 9 });
    await tasks.update({ ...NONE, changed: [worse], at: 10 });
    expect(await tasks.list()).toMatchObject([
      { digest: 'b', size: [3], isClosed: false, opening: 2, openedAt: 9, mark: { actor: 'Ann' } },
    ]);
  });

  test('a task that is marked while its facts are read keeps the fact that the person saw', async () => {
    const { tasks } = await makeSite().open();
    await tasks.update({ ...NONE, begun: [CLOCK] });
    await tasks.mark({ tasks: [{ id: 1, version: versionOf(CLOCK) }], kind: 'done', note: '' }, 'Ann');
    const worse = { id: 1, fact: CLOCK.fact, digest: 'b', size: [3], isReopened: false };
    await tasks.update({ ...NONE, changed: [worse] });
    expect(await tasks.list()).toMatchObject([{ digest: 'a', size: [1, 2], isClosed: true }]);
  });

  test('only the first time that a person saw a task counts', async () => {
    let now = 10;
    const { tasks } = await makeSite().open({ now: () => now });
    await tasks.update({ ...NONE, begun: [CLOCK] });
    await tasks.noteSeen([1, 99], 'Ann');
    now = 20;
    await tasks.noteSeen([1], 'Ben');
    await tasks.noteSeen([1], 'Ann');
    expect(await tasks.list()).toMatchObject([
      {
        seen: [
          { actor: 'Ann', at: 10 },
          { actor: 'Ben', at: 20 },
        ],
      },
    ]);
  });

  test('changed resends are counted by quarter hour and till', async () => {
    const store = await makeSite().open();
    const key = await makeKey(store);
    for (const object of ['1', '2', '2'])
      await store.records.append(arrivalOf(key, { externalId: 'A', object: { total: object }, soldAt: 1_793_000_000 }));
    const { conflicts, held } = await store.tasks.readSources();
    expect(conflicts).toEqual([{ journalId: key.journalId, startsAt: 1_792_999_800, till: 'Till 1', records: 2 }]);
    expect(held).toEqual([]);
  });

  test('the time of the last good backup is kept', async () => {
    const { health } = await makeSite().open({ now: () => 33 });
    expect(await health.lastBackupAt()).toBeNull();
    await health.noteBackup(1);
    await health.noteBackup(2);
    expect(await health.lastBackupAt()).toBe(33);
  });
});
