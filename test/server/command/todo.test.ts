// The commands of the to-do list, without a running gateway.

import { expect, test } from 'vitest';

import { bindTodo } from '../../../server/command/todo.ts';
import type { TaskFact } from '../../../server/contract/todo.ts';
import type { NewRefusal } from '../../../server/store/records/ledger.ts';
import type { Store } from '../../../server/store/store.ts';
import { runCommand } from '../../support/command-run.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

const refusalBy = (keyId: number): NewRefusal => ({
  at: Date.now(),
  address: '192.168.1.9',
  keyId,
  method: 'POST',
  path: '/v1/raw_transactions',
  code: 'json_malformed',
  detail: 'no JSON',
  excerpt: '',
  faults: [],
});

/** Prepares a data directory whose gateway has stopped. */
async function makeData(prepare: (store: Store) => Promise<unknown>): Promise<string> {
  const dataDir = temporaryFolder();
  const store = await openTemporaryStore({ dataDir });
  await prepare(store);
  await store.close();
  return dataDir;
}

test('todo lists, marks and reopens tasks', async () => {
  const dataDir = await makeData(async (store) => {
    const key = await makeKey(store);
    for (const total of [1, 2])
      await store.records.append(
        arrivalOf(key, {
          externalId: 'A',
          object: { total },
          soldAt: Math.floor(Date.now() / 1000),
          receivedAt: Date.now(),
        }),
      );
  });
  const run = (...args: string[]) => runCommand(bindTodo, ['todo', ...args, '--data', dataDir]);
  const [task, ...more] = JSON.parse(await run('--json')) as Record<string, unknown>[];
  expect(more).toEqual([]);
  expect(task).toMatchObject({ kind: 'conflicts', administration: 'Bakery', is_open: true, fact: { records: 1 } });
  const id = String(task?.['task']);
  await expect(run('mark', id, '--as', 'not a problem')).rejects.toThrow('--note must say why');
  await expect(run('mark', '99-3fa9c1')).rejects.toThrow('does not exist');
  expect(await run('mark', id, '--as', 'not a problem', '--note', 'a test')).toMatch(
    /^Marked as not a problem: Till 1:/,
  );
  expect(await run()).toBe('Nothing to do.');
  expect(await run('--all')).toMatch(/not a problem, according to command line: a test/);
  expect(await run('reopen', id)).toMatch('is open again');
  await expect(run('reopen', id)).rejects.toThrow('has no mark');
});

test('todo names the zone of times without one', async () => {
  const dataDir = await makeData(async (store) => {
    await makeKey(store);
    await store.setup.changeAdministration('Bakery', { timeZone: 'Asia/Tokyo' }, 'test');
    const key = await makeKey(store, 'Till 2');
    store.records.noteRefusal(refusalBy(key.id));
    await expect.poll(() => store.records.listRefusals(1)).toHaveLength(1);
  });
  expect(await runCommand(bindTodo, ['todo', '--data', dataDir])).toContain(
    '\n\nTimes without a Z are in the time zone Asia/Tokyo.\n',
  );
});

test('todo mark covers the fact that was listed, and nothing later', async () => {
  const dataDir = await makeData(async (store) => {
    const key = await makeKey(store);
    for (const total of [1, 2]) await store.records.append(arrivalOf(key, { externalId: 'A', object: { total } }));
  });
  const run = (...args: string[]) => runCommand(bindTodo, ['todo', ...args, '--data', dataDir]);
  const listed = async () => (JSON.parse(await run('--json')) as { task: string }[])[0]?.task ?? '';
  const before = await listed();
  await expect(run('mark', before.split('-')[0] ?? '')).rejects.toThrow('lists it, such as');
  const store = await openTemporaryStore({ dataDir });
  const [task] = await store.tasks.list();
  if (task === undefined) throw new Error('no task');
  const worse = { ...task, size: [9], isReopened: false };
  await store.tasks.update({ begun: [], changed: [worse], ended: [], at: 1 });
  await store.close();
  await expect(run('mark', before)).rejects.toThrow('has changed since it was listed');
  expect(await run('mark', await listed())).toMatch(/^Marked as done/);
});

test('todo ends no task about forwarding while no gateway runs', async () => {
  const dataDir = await makeData(async (store) => {
    const { journalId } = await makeKey(store);
    const fact = {
      kind: 'upstream_stopped',
      interface: 'current',
      state: 'refused',
      cause: null,
      since: 1,
      waiting: 2,
    };
    const task = { name: 'upstream_stopped 1', journalId, fact: fact as TaskFact, digest: '', size: [] };
    await store.tasks.update({ begun: [task], changed: [], ended: [], at: 1 });
  });
  const list = () => runCommand(bindTodo, ['todo', '--data', dataDir]);
  const first = await list();
  expect(first).not.toBe('Nothing to do.');
  expect(await list()).toBe(first);
});
