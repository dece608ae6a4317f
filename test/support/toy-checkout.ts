// Makes a toy checkout for the script behind the npm commands. Its build is real, and its command line prints its own
// arguments.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

import { THREADS } from '../../build/vite.node.config.ts';
import { temporaryFolder } from './temp-store.ts';

const ROOT = join(import.meta.dirname, '../..');
export const BUILDING = 'Building the gateway …\n';
/** The messages of a start without a window, which builds all bundles. */
export const BUILDING_ALL = `${BUILDING}Building the console …\n`;

/** Makes the script behave as on an older Node. */
export const OLDER_NODE =
  "data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })";
/** Makes the process look like that of a given user. */
export const runBy = (uid: number): string[] => ['--import', `data:text/javascript,process.getuid = () => ${uid}`];
/** Makes the process look like that of an ordinary user. The tests may run as root, but Electron refuses to run as root. */
export const ORDINARY_USER = runBy(1000);

const program = `
  process.exitCode = 5;
  if (process.argv[2] === 'serve') {
    process.on('SIGTERM', () => { console.log('drained'); process.exit(7); });
    setInterval(() => {}, 1000);
  }
  console.log(JSON.stringify({ args: process.argv.slice(2), pid: process.pid, cwd: process.cwd(), flags: process.execArgv }));`;

/** A toy checkout without a build, removed when the test ends. */
export function makeCheckout(checkout = temporaryFolder()): string {
  const write = (file: string, content: string): void => {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), content);
  };
  write('package.json', '{ "type": "module" }');
  write('package-lock.json', '{}');
  write('server/main.ts', program);
  for (const thread of THREADS) write(`server/store/sqlite/engine/${thread}.ts`, '');
  write('server/contract/codes.ts', '');
  write('renderer/index.html', '<!doctype html><title>Toy</title><script type="module" src="./main.tsx"></script>');
  write('renderer/main.tsx', '');
  write('renderer/locales/later.ts', 'export const LATER_NAMESPACES = [];');
  write('electron/main.ts', '');
  write('electron/preload.ts', '');
  const configs = ['node', 'renderer', 'electron', 'preload'].map((name) => `vite.${name}.config.ts`);
  const scripts = ['run', 'find-electron', 'foreground', 'get-electron', 'swallowed-options'].map(
    (name) => `${name}.mjs`,
  );
  for (const file of [...scripts, ...configs]) {
    cpSync(join(ROOT, 'build', file), join(checkout, 'build', file));
  }
  mkdirSync(join(checkout, 'node_modules/node/bin'), { recursive: true });
  symlinkSync(process.execPath, join(checkout, 'node_modules/node/bin/node'));
  for (const name of ['vite', '@vitejs', 'undici'])
    symlinkSync(join(ROOT, 'node_modules', name), join(checkout, 'node_modules', name));
  return checkout;
}

let template: string | undefined;

/** Returns a copy of a toy checkout with a complete build. All tests of a file share one build. */
export function makeBuiltCheckout(): string {
  if (template === undefined) {
    template = makeCheckout(mkdtempSync(join(tmpdir(), 'counterfoil-test-')));
    const { status } = spawnSync(process.execPath, [join(template, 'build/run.mjs'), 'build']);
    if (status !== 0) throw new Error('the checkout of toys was not built');
  }
  const checkout = temporaryFolder();
  cpSync(template, checkout, { recursive: true, verbatimSymlinks: true });
  const later = Date.now() / 1000 + 1;
  for (const file of ['node/main.mjs', 'renderer/index.html', 'electron/main.mjs', 'preload/preload.cjs'])
    utimesSync(join(checkout, 'dist', file), later, later);
  return checkout;
}

/** Removes the builds. Call it after all tests of a file that made them. */
export function removeTemplate(): void {
  if (template !== undefined) rmSync(template, { recursive: true, force: true });
  template = undefined;
}

/** Unsets the shell's variables that decide whether a window can open. */
export const NO_DESKTOP = {
  COUNTERFOIL_HEADLESS: undefined,
  DISPLAY: undefined,
  WAYLAND_DISPLAY: undefined,
  ELECTRON_OVERRIDE_DIST_PATH: undefined,
  NO_PROXY: '127.0.0.1',
};

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  /** Options for Node itself. */
  readonly node?: readonly string[];
  /** The folder in which the user called npm. */
  readonly calledFrom?: string;
  readonly variables?: NodeJS.ProcessEnv;
}

/** Runs the script with the arguments; killed when the test ends. */
export function start(
  checkout: string,
  args: readonly string[],
  { node = [], calledFrom = checkout, variables = {} }: Options = {},
) {
  const env = { ...process.env, ...NO_DESKTOP, INIT_CWD: calledFrom, ...variables };
  const child = spawn(process.execPath, [...node, join(checkout, 'build/run.mjs'), ...args], { cwd: checkout, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return {
    child,
    printed: once(child.stdout, 'data'),
    ended: ended.then(([[code], stdout, stderr]): Ended => ({ code: code as number | null, stdout, stderr })),
  };
}

export const run = (checkout: string, args: readonly string[], options?: Options): Promise<Ended> =>
  start(checkout, args, options).ended;
