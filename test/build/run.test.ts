// The script behind `npm start` and `npm run counterfoil`, on a toy checkout: a command line that prints how it was
// called, and the real build.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { temporaryFolder } from '../support/temp-store.ts';

const root = join(import.meta.dirname, '../..');
const BUILDING = 'Building the gateway …\n';
const BUILDING_ALL = `${BUILDING}Building the console …\n`;
const HEADLESS = 'Running without a window: options are for the gateway alone.\n';

/** Makes the process look like an older Node, as far as the script can see. */
const OLDER_NODE = "data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })";

const program = `
  process.exitCode = 5;
  if (process.argv[2] === 'serve') {
    process.on('SIGTERM', () => { console.log('drained'); process.exit(7); });
    setInterval(() => {}, 1000);
  }
  console.log(JSON.stringify({ args: process.argv.slice(2), pid: process.pid, cwd: process.cwd() }));`;

function makeCheckout(): string {
  const checkout = temporaryFolder();
  const write = (file: string, content: string): void => {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), content);
  };
  write('package.json', '{ "type": "module" }');
  write('package-lock.json', '{}');
  write('server/main.ts', program);
  write('server/store/writer.ts', '');
  write('server/store/reader.ts', '');
  write('server/contract.ts', '');
  write('renderer/index.html', '<!doctype html><title>Toy</title><script type="module" src="./main.tsx"></script>');
  write('renderer/main.tsx', '');
  write('electron/main.ts', '');
  write('electron/preload.ts', '');
  const configs = ['node', 'renderer', 'electron', 'preload'].map((name) => `vite.${name}.config.ts`);
  for (const file of ['run.mjs', 'find-electron.mjs', ...configs]) {
    cpSync(join(root, 'build', file), join(checkout, 'build', file));
  }
  mkdirSync(join(checkout, 'node_modules/node/bin'), { recursive: true });
  symlinkSync(process.execPath, join(checkout, 'node_modules/node/bin/node'));
  for (const name of ['vite', '@vitejs'])
    symlinkSync(join(root, 'node_modules', name), join(checkout, 'node_modules', name));
  return checkout;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  /** Options for Node itself. */
  readonly node?: readonly string[];
  /** Where the user called npm. */
  readonly calledFrom?: string;
  readonly variables?: NodeJS.ProcessEnv;
}

function start(
  checkout: string,
  args: readonly string[],
  { node = [], calledFrom = checkout, variables = {} }: Options = {},
) {
  const env = { ...process.env, INIT_CWD: calledFrom, ELECTRON_OVERRIDE_DIST_PATH: undefined, ...variables };
  const child = spawn(process.execPath, [...node, join(checkout, 'build/run.mjs'), ...args], { cwd: checkout, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return {
    child,
    printed: once(child.stdout, 'data'),
    ended: ended.then(([[code], stdout, stderr]): Ended => ({ code: code as number | null, stdout, stderr })),
  };
}

const run = (checkout: string, args: readonly string[], options?: Options): Promise<Ended> =>
  start(checkout, args, options).ended;
const printedBy = ({ stdout }: Ended): unknown => JSON.parse(stdout);

test('a command is built when there is no build, and gets its arguments, standard output and exit code to itself', async () => {
  const checkout = makeCheckout();
  const first = await run(checkout, ['run', 'keys', 'create', '--label', 'a b']);
  expect(first).toMatchObject({ code: 5, stderr: BUILDING });
  expect(printedBy(first)).toMatchObject({ args: ['keys', 'create', '--label', 'a b'] });
  expect(readdirSync(join(checkout, 'dist'))).toEqual(['node']);
  expect(await run(checkout, ['run', 'status'])).toMatchObject({ code: 5, stderr: '' });
});

test.each<[change: string, make: (checkout: string) => void]>([
  ['a source is newer', (checkout) => setTime(join(checkout, 'server/store/writer.ts'), Date.now() + 1000)],
  ['a source is gone', (checkout) => rmSync(join(checkout, 'server/store/unused.ts'))],
  ['other dependencies are locked', (checkout) => setTime(join(checkout, 'package-lock.json'), Date.now() + 1000)],
])('when %s, it is built again', async (_change, make) => {
  const checkout = makeCheckout();
  writeFileSync(join(checkout, 'server/store/unused.ts'), '');
  await run(checkout, ['build']);
  make(checkout);
  expect(await run(checkout, ['run', 'status'])).toMatchObject({ stderr: BUILDING });
});

test('all is built, or what is stale alone', async () => {
  const checkout = makeCheckout();
  expect((await run(checkout, ['build'])).stderr).toMatch(/gateway …[^]+console …[^]+desktop app …[^]+window …/);
  setTime(join(checkout, 'electron/main.ts'), Date.now() + 1000);
  const again = await run(checkout, ['build', '--stale']);
  expect(again).toMatchObject({ code: 0, stderr: 'Building the desktop app …\nBuilding the desktop app’s window …\n' });
});

test('a build that fails says so, ends with 1 and leaves the build there was', async () => {
  const checkout = makeCheckout();
  await run(checkout, ['build']);
  writeFileSync(join(checkout, 'server/main.ts'), 'this is no program');
  setTime(join(checkout, 'server/main.ts'), Date.now() + 1000);
  const failed = await run(checkout, ['run', 'status']);
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toContain('could not be built');
  expect(readdirSync(join(checkout, 'dist'))).toEqual(['electron', 'node', 'preload', 'renderer']);
  expect(existsSync(join(checkout, 'dist/node/main.mjs'))).toBe(true);
});

test('a file named in an argument is meant from where npm was called', async () => {
  const checkout = makeCheckout();
  const calledFrom = temporaryFolder();
  expect(printedBy(await run(checkout, ['run', 'backup', 'x.db'], { calledFrom }))).toMatchObject({ cwd: calledFrom });
});

test('npm start serves without a screen, and a SIGTERM is the gateway’s own to answer', async () => {
  const checkout = makeCheckout();
  const { child, printed, ended } = start(checkout, ['start', '--port', '0']);
  await printed;
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await ended;
  const [called, drained] = stdout.split('\n');
  expect(JSON.parse(called ?? '')).toMatchObject({ args: ['serve', '--welcome', '--port', '0'], pid: child.pid });
  expect({ drained, code, stderr }).toEqual({ drained: 'drained', code: 7, stderr: BUILDING_ALL + HEADLESS });
});

test('npm start opens the desktop app where Electron and a screen are, and its end is the app’s', async () => {
  const checkout = makeCheckout();
  const electron = temporaryFolder();
  writeFileSync(join(electron, 'electron'), '#!/bin/sh\necho "opens $1"\nexit 3\n', { mode: 0o755 });
  const variables = { ELECTRON_OVERRIDE_DIST_PATH: electron, DISPLAY: ':0' };
  const { code, stdout, stderr } = await run(checkout, ['start'], { variables });
  expect({ code, stdout }).toEqual({ code: 3, stdout: `opens ${checkout}\n` });
  expect(stderr).toBe(`${BUILDING_ALL}Building the desktop app …\nBuilding the desktop app’s window …\n`);
});

test.each<[why: string, variables: NodeJS.ProcessEnv, line: string]>([
  ['Electron is not here', { DISPLAY: ':0' }, 'Electron is not here, and `npx install-electron` gets it'],
  ['there is no screen', { DISPLAY: '', WAYLAND_DISPLAY: '', HAS_ELECTRON: 'yes' }, 'there is no screen'],
])('npm start says in one line why there is no window: %s', async (_why, { HAS_ELECTRON, ...variables }, line) => {
  const checkout = makeCheckout();
  const electron = temporaryFolder();
  if (HAS_ELECTRON === 'yes') writeFileSync(join(electron, 'electron'), '');
  const { child, printed, ended } = start(checkout, ['start'], {
    variables: { ...variables, ELECTRON_OVERRIDE_DIST_PATH: electron },
  });
  await printed;
  child.kill('SIGTERM');
  expect((await ended).stderr).toBe(`${BUILDING_ALL}Running without a window: ${line}.\n`);
});

test('when npm is told to stop, which ends only its shell, the gateway stops too', async () => {
  const checkout = makeCheckout();
  const script = `"${process.execPath}" build/run.mjs start; exit`;
  const env = { ...process.env, npm_lifecycle_event: 'start' };
  const shell = spawn('sh', ['-c', script], { cwd: checkout, env, detached: true });
  onTestFinished(() => killGroup(shell.pid));
  const stdout = text(shell.stdout);
  await once(shell.stdout, 'data');
  shell.kill('SIGTERM');
  expect(await stdout).toMatch(/\ndrained\n$/); // ends when nobody holds it any longer
});

test('on an older Node the same runs on the Node that npm brought, and signals and exit code pass through', async () => {
  const checkout = makeCheckout();
  const { child, printed, ended } = start(checkout, ['start'], { node: ['--import', OLDER_NODE] });
  await printed;
  child.kill('SIGTERM');
  const { code, stdout } = await ended;
  expect(code).toBe(7);
  expect(stdout).toMatch(/\ndrained\n$/);
});

test('on an older Node without another, it says in one line what to do', async () => {
  const checkout = makeCheckout();
  rmSync(join(checkout, 'node_modules/node'), { recursive: true });
  const { code, stderr } = await run(checkout, ['start'], { node: ['--import', OLDER_NODE] });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Counterfoil needs Node 24 .*`npm ci`.*\n$/);
});

function setTime(file: string, ms: number): void {
  utimesSync(file, ms / 1000, ms / 1000);
}

/** Ends a process started as `detached`, and all it started; none of it may be left. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it is gone, as it should
  }
}
