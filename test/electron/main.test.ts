// The entry of the desktop app. The whole app runs in its own process, on a stand-in for Electron.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { waitUntil } from '../support/wait-until.ts';
import { copyApp } from './app-copy.ts';

const PROGRAM = join(import.meta.dirname, 'main-process.ts');

/** Runs the app until the test ends. `given` are options of the stand-in, `flags` the command line. */
function start(given: { isFirst?: boolean } = {}, ...flags: string[]) {
  const folder = copyApp();
  const child = fork(PROGRAM, [folder, JSON.stringify(given), ...flags], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, COUNTERFOIL_READY_FD: '3' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const calls: [name: string, ...given: unknown[]][] = [];
  child.on('message', (call) => void calls.push(call as (typeof calls)[number]));
  const find = (name: string): unknown[] | undefined => calls.find(([called]) => called === name)?.slice(1);
  return {
    folder,
    names: () => calls.map(([name]) => name),
    find,
    until: (name: string, ...what: unknown[]) =>
      waitUntil(() => calls.some((call) => call[0] === name && what.every((each, i) => call[i + 1] === each))),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    said: text(child.stdio[3] as Readable),
    emit: (event: string) => void child.send(event),
    exitCode: once(child, 'exit').then(([code]) => code as unknown),
  };
}

test('the app starts its gateway and then shows the console in one window', async () => {
  const { folder, names, until, find } = start();
  await until('loadURL', 'http://127.0.0.1:1/');
  expect(find('fork')).toEqual([
    join(folder, 'node/main.mjs'),
    ['serve', '--json'],
    ['--js-flags=--max-semi-space-size=8 --max-old-space-size=1024'], // Electron passes these V8 options on in this form
  ]);
  expect(names().filter((name) => name === 'BrowserWindow')).toHaveLength(1);
  expect(names().indexOf('fork')).toBeLessThan(names().indexOf('BrowserWindow'));
});

test('the data directory of the command line is passed to the gateway', async () => {
  const { until, find } = start({}, '--data', '/shop');
  await until('fork');
  expect(find('fork')?.[1]).toEqual(['serve', '--json', '--data', '/shop']);
});

test('started by the system, the app shows its window on request', async () => {
  const { names, until, emit } = start({}, '--in-tray');
  await until('setToolTip', 'Counterfoil: Running');
  expect(names()).not.toContain('show');
  emit('activate');
  await until('show');
});

test('a second app starts nothing, and exits before it is ready', async () => {
  const { names, exitCode } = start({ isFirst: false });
  expect(await exitCode).toBe(0);
  expect(names().filter((name) => name !== 'setPath')).toEqual(['enableSandbox', 'setAppUserModelId', 'quit']);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends the app in order, without a question', async (signal) => {
  const { until, kill, names, exitCode } = start();
  await until('loadURL');
  kill(signal);
  expect(await exitCode).toBe(0);
  expect(names()).not.toContain('showMessageBox');
});

test('the parent process is told when the app is ready', async () => {
  const { said } = start();
  expect(await said).toBe('ready\n');
});

test('quitting ends the gateway and leaves no process', async () => {
  const { until, emit, names, exitCode } = start();
  await until('loadURL');
  emit('before-quit');
  expect(await exitCode).toBe(0);
  expect(names().at(-1)).toBe('exit');
});
