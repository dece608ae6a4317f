// The desktop app's entry, run whole in a process of its own, on a stand-in of Electron.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import { copyApp } from './app-copy.ts';

const PROGRAM = join(import.meta.dirname, 'main-process.ts');

/** Until the test ends. `given` is what the stand-in has been given, `flags` those of the command line. */
function start(given: { isFirst?: boolean } = {}, ...flags: string[]) {
  const folder = copyApp();
  const child = fork(PROGRAM, [folder, JSON.stringify(given), ...flags], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const calls: [name: string, ...given: unknown[]][] = [];
  child.on('message', (call) => void calls.push(call as (typeof calls)[number]));
  const find = (name: string): unknown[] | undefined => calls.find(([called]) => called === name)?.slice(1);
  return {
    folder,
    names: () => calls.map(([name]) => name),
    find,
    until: (name: string, ...what: unknown[]) =>
      vi.waitUntil(() => calls.some((call) => call[0] === name && what.every((each, i) => call[i + 1] === each)), {
        timeout: 15_000,
      }),
    emit: (event: string) => void child.send(event),
    exitCode: once(child, 'exit').then(([code]) => code as unknown),
  };
}

test('it starts the gateway of its own and then shows the console, in one window', async () => {
  const { folder, names, until, find } = start();
  await until('loadURL', 'http://127.0.0.1:1/');
  expect(find('fork')).toEqual([join(folder, 'node/main.mjs'), ['serve', '--json']]);
  expect(names().filter((name) => name === 'BrowserWindow')).toHaveLength(1);
  expect(names().indexOf('fork')).toBeLessThan(names().indexOf('BrowserWindow'));
  expect(find('setApplicationMenu')).toEqual(
    process.platform === 'darwin' ? [[{ role: 'appMenu' }, { role: 'editMenu' }]] : [null],
  );
});

test('the data directory of its command line is the gateway’s', async () => {
  const { until, find } = start({}, '--data', '/shop');
  await until('fork');
  expect(find('fork')?.[1]).toEqual(['serve', '--json', '--data', '/shop']);
});

test('started by the machine, it shows its window when it is asked for', async () => {
  const { names, until, emit } = start({}, '--in-tray');
  await until('setToolTip', 'Counterfoil: Running');
  expect(names()).not.toContain('BrowserWindow');
  emit('activate');
  await until('loadURL');
});

test('a second one starts nothing, and ends', async () => {
  const { names, exitCode } = start({ isFirst: false });
  expect(await exitCode).toBe(0);
  expect(names()).toContain('quit');
  expect(names()).not.toContain('fork');
});

test('told to quit, it ends the gateway and nothing holds it', async () => {
  const { until, emit, names, exitCode } = start();
  await until('loadURL');
  emit('before-quit');
  expect(await exitCode).toBe(0);
  expect(names().at(-1)).toBe('exit');
});
