// The script behind `npm start` and `npm run counterfoil`: it builds stale bundles and then replaces itself with the command
// line.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, expect, onTestFinished, test } from 'vitest';

import { temporaryFolder } from '../support/temp-store.ts';
import {
  BUILDING,
  BUILDING_ALL,
  type Ended,
  makeBuiltCheckout,
  makeCheckout,
  OLDER_NODE,
  removeTemplate,
  run,
  start,
} from '../support/toy-checkout.ts';

afterAll(removeTemplate);

const HEADLESS = 'Running without a window: the desktop app accepts no options.\n';
const printedBy = ({ stdout }: Ended): unknown => JSON.parse(stdout);

test('a command without a build builds first, and gets its arguments, standard output and exit code unchanged', async () => {
  const checkout = makeCheckout();
  const first = await run(checkout, ['run', 'keys', 'create', '--label', 'a b']);
  expect(first).toMatchObject({ code: 5, stderr: BUILDING });
  expect(printedBy(first)).toMatchObject({ args: ['keys', 'create', '--label', 'a b'] });
  expect(readdirSync(join(checkout, 'dist'))).toEqual(['node']);
  expect(await run(checkout, ['run', 'status'])).toMatchObject({ code: 5, stderr: '' });
});

test.each([
  ['a source', 'server/store/sqlite/engine/writer.ts'],
  ['the lock file', 'package-lock.json'],
])('when %s is newer, it is built again', async (_what, file) => {
  const checkout = makeBuiltCheckout();
  setTime(join(checkout, file), Date.now() + 60_000);
  expect(await run(checkout, ['run', 'status'])).toMatchObject({ stderr: BUILDING });
});

test('when a source was deleted, it is built again', async () => {
  const checkout = makeCheckout();
  writeFileSync(join(checkout, 'server/store/sqlite/unused.ts'), '');
  await run(checkout, ['run', 'status']);
  rmSync(join(checkout, 'server/store/sqlite/unused.ts'));
  expect(await run(checkout, ['run', 'status'])).toMatchObject({ stderr: BUILDING });
});

test('a build makes everything, or only stale bundles', async () => {
  const checkout = makeCheckout();
  expect((await run(checkout, ['build'])).stderr).toMatch(/gateway …[^]+console …[^]+desktop app …[^]+window …/);
  setTime(join(checkout, 'electron/main.ts'), Date.now() + 1000);
  const again = await run(checkout, ['build', '--stale']);
  expect(again).toMatchObject({ code: 0, stderr: 'Building the desktop app …\nBuilding the desktop app’s window …\n' });
});

test('a failed build is reported, ends with 1 and keeps the earlier build', async () => {
  const checkout = makeBuiltCheckout();
  writeFileSync(join(checkout, 'server/main.ts'), 'this is no program');
  setTime(join(checkout, 'server/main.ts'), Date.now() + 60_000);
  const failed = await run(checkout, ['run', 'status']);
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toContain('could not be built');
  expect(readdirSync(join(checkout, 'dist'))).toEqual(['electron', 'node', 'preload', 'renderer']);
  expect(existsSync(join(checkout, 'dist/node/main.mjs'))).toBe(true);
});

test('another user may read and run the build, whatever the umask', () => {
  const checkout = makeCheckout();
  const script = `umask 077; "${process.execPath}" build/run.mjs build`;
  expect(spawnSync('sh', ['-c', script], { cwd: checkout, timeout: 100_000 }).status).toBe(0);
  expect(new Set(listModes(join(checkout, 'dist')))).toEqual(new Set(['folder 755', 'file 644']));
});

test('a file in an argument is relative to the folder where npm was called', async () => {
  const checkout = makeCheckout();
  const calledFrom = temporaryFolder();
  expect(printedBy(await run(checkout, ['run', 'backup', 'x.db'], { calledFrom }))).toMatchObject({ cwd: calledFrom });
});

test('npm start serves without a screen, and the gateway itself handles SIGTERM', async () => {
  const checkout = makeCheckout();
  const { child, printed, ended } = start(checkout, ['start', '--port', '0']);
  await printed;
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await ended;
  const [called, drained] = stdout.split('\n');
  expect(JSON.parse(called ?? '')).toMatchObject({ args: ['serve', '--welcome', '--port', '0'], pid: child.pid });
  expect({ drained, code, stderr }).toEqual({ drained: 'drained', code: 7, stderr: BUILDING_ALL + HEADLESS });
});

test('when npm is stopped, which ends only its shell, the gateway stops too', async () => {
  const checkout = makeCheckout();
  const script = `"${process.execPath}" build/run.mjs start; exit`;
  const env = { ...process.env, npm_lifecycle_event: 'start' };
  const shell = spawn('sh', ['-c', script], { cwd: checkout, env, detached: true });
  onTestFinished(() => killGroup(shell.pid));
  const stdout = text(shell.stdout);
  await once(shell.stdout, 'data');
  shell.kill('SIGTERM');
  expect(await stdout).toMatch(/\ndrained\n$/); // the output ends only when no process holds it open any more
});

test('on an older Node it runs on the Node from npm, and signals and exit code pass through', async () => {
  const checkout = makeCheckout();
  const { child, printed, ended } = start(checkout, ['start'], { node: ['--import', OLDER_NODE] });
  await printed;
  child.kill('SIGTERM');
  const { code, stdout } = await ended;
  expect(code).toBe(7);
  expect(stdout).toMatch(/\ndrained\n$/);
});

test('on an older Node the other Node gets the heap bounds and no other flag', async () => {
  const bounds = ['--max-semi-space-size=8', '--max-old-space-size=1024'];
  const checkout = makeBuiltCheckout();
  const printed = printedBy(await run(checkout, ['run', 'status'], { node: [...bounds, '--import', OLDER_NODE] }));
  expect(printed).toMatchObject({ flags: bounds });
});

test('on an older Node without a newer one, it prints the remedy in one line', async () => {
  const checkout = makeCheckout();
  rmSync(join(checkout, 'node_modules/node'), { recursive: true });
  const { code, stderr } = await run(checkout, ['start'], { node: ['--import', OLDER_NODE] });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Counterfoil needs Node 24 .*`npm ci`.*\n$/);
});

function setTime(file: string, ms: number): void {
  utimesSync(file, ms / 1000, ms / 1000);
}

/** Ends a `detached` process with all its children. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process had already ended, as expected.
  }
}

/** The modes of a folder and everything in it, which decide what another user may read. */
function listModes(path: string): string[] {
  const { mode } = statSync(path);
  const own = `${statSync(path).isDirectory() ? 'folder' : 'file'} ${(mode & 0o777).toString(8)}`;
  return statSync(path).isDirectory()
    ? [own, ...readdirSync(path).flatMap((name) => listModes(join(path, name)))]
    : [own];
}
