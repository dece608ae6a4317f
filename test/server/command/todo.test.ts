// The commands of the to-do list and of alerts, without a running gateway.

import { expect, onTestFinished, test } from 'vitest';

import { bindAlerts } from '../../../server/command/alerts.ts';
import { bindTodo } from '../../../server/command/todo.ts';
import type { TaskFact } from '../../../server/contract/todo.ts';
import type { Store } from '../../../server/store/store.ts';
import { openHttpSink } from '../../support/alert-sinks.ts';
import { runCommand } from '../../support/command-run.ts';
import { arrivalOf, makeKey, openTemporaryStore, temporaryFolder } from '../../support/temp-store.ts';

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

test('alerts adds, tests and removes receivers, and never prints an address with a secret', async () => {
  const sink = await openHttpSink();
  const dataDir = await makeData(makeKey);
  onTestFinished(() => void (process.exitCode = 0));
  const run = (...args: string[]) => runCommand(bindAlerts, ['alerts', ...args, '--data', dataDir]);
  const to = `${sink.url}/canary`;
  await expect(run('add', '--name', 'Mia', '--by', 'email', '--to', 'mia')).rejects.toThrow('one e-mail address');
  await expect(run('add', '--name', 'Mia', '--by', 'slack', '--to', to, '--quiet', '22-7')).rejects.toThrow('--quiet');
  const added = JSON.parse(
    await run('add', '--name', 'Mia', '--by', 'webhook', '--to', to, '--quiet', '22:00-07:00', '--json'),
  ) as object;
  expect(added).toMatchObject({ name: 'Mia', signing_key: expect.stringMatching(/^whsec_/) });
  await expect(run('add', '--name', 'mia', '--by', 'slack', '--to', to)).rejects.toThrow('already exists');
  expect(await run('test', '--name', 'MIA')).toBe('The test was sent to Mia.');
  expect(sink.calls).toMatchObject([{ path: '/canary' }]);
  sink.script = 401;
  expect(await run('test', '--name', 'Mia')).toMatch(/rejected the message \(401\)/);
  expect(process.exitCode).toBe(1);
  await run('mail', '--host', 'mail.example.org', '--port', '587', '--from', 'shop@example.org');
  const shown = await run('show');
  expect(shown).toMatch(
    /Mail server: mail\.example\.org:587[^]*Mia +webhook +http:\/\/127\.0\.0\.1:\d+\/… +all +22:00-07:00/,
  );
  expect(shown).not.toContain('canary');
  expect(await run('remove', '--name', 'Mia')).toBe('Mia gets no more alerts.');
  await expect(run('test', '--name', 'Mia')).rejects.toThrow('does not exist');
});
