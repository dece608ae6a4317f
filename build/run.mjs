// Runs the gateway from a checkout. It builds stale bundles and then becomes the command line, in this process, so that
// signals and the exit code need no forwarding. The desktop app is a child process, and this process exits with its exit code.
//
//   node build/run.mjs build           builds all bundles; with --stale only stale ones
//   node build/run.mjs start …         npm start: the desktop app; downloads Electron once. If no window can open, prints
//                                      the reason and the first steps, and serves
//   node build/run.mjs run <command> … npm run counterfoil -- <command> …; only the command writes to standard output
//
// Plain JavaScript, because an older Node must get as far as the first check.

import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { findElectron, isSandboxBlocked, whyHeadless } from './find-electron.mjs';
import { exitCodeOf, follow, onStopSignal } from './foreground.mjs';
import { getElectron } from './get-electron.mjs';
import { findMeantCommand } from './swallowed-options.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The bundles. Each has its sources, its folder, and the file whose modification time says when the bundle was built. */
const bundles = /** @type {const} */ ([
  { name: 'gateway', config: 'build/vite.node.config.ts', out: 'dist/node', made: 'main.mjs', sources: ['server'] },
  {
    name: 'console',
    config: 'build/vite.renderer.config.ts',
    out: 'dist/renderer',
    made: 'index.html',
    sources: ['renderer', 'server/contract'],
  },
  {
    name: 'desktop app',
    config: 'build/vite.electron.config.ts',
    out: 'dist/electron',
    made: 'main.mjs',
    sources: ['electron', 'server/contract'],
  },
  {
    name: 'desktop app’s window',
    config: 'build/vite.preload.config.ts',
    out: 'dist/preload',
    made: 'preload.cjs',
    sources: ['electron'],
  },
]);
const main = join(root, 'dist/node/main.mjs');
const [role, ...args] = process.argv.slice(2);
const parent = process.ppid; // read before the build, because the parent process may exit while the build runs

const meant = findMeantCommand(role, args, process.env);
if (meant !== undefined) {
  console.error(`npm kept options that are meant for Counterfoil. Put -- in front of them:\n  ${meant}`);
  process.exit(2);
}
if (Number(process.versions.node.split('.')[0]) < 24) await runAgainOnOwnNode();
else await run();

async function run() {
  const [gateway, pages] = bundles;
  const isOfNpm = role !== 'build' && process.env.npm_lifecycle_event !== undefined;
  const watch = isOfNpm ? stopWithNpm() : undefined;
  const electron = role === 'start' ? await provideElectron() : undefined;
  const needsPages = role !== 'run' || args[0] === 'serve';
  const needsApp = role === 'build' || electron?.kind === 'found';
  for (const bundle of needsApp ? bundles : needsPages ? [gateway, pages] : [gateway])
    if ((role === 'build' && !args.includes('--stale')) || isStale(bundle)) build(bundle);
  if (role === 'build') return;
  // the app passes this variable on to the gateway that it starts
  if (isOfNpm) process.env.COUNTERFOIL_PROGRAM = 'npm run -s counterfoil --';
  const reason = electron?.kind === 'found' ? await runApp(electron.path, watch) : electron?.reason;
  if (reason !== undefined) console.error(`Running without a window: ${reason}.`);
  // npm starts its scripts in the root of the checkout. A file argument is relative to the folder in which the user typed the
  // command.
  if (process.cwd() === root && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  process.argv = [process.execPath, main, ...(role === 'start' ? ['serve', '--welcome'] : []), ...args];
  await import(pathToFileURL(main).href);
}

/**
 * Finds Electron, or downloads it if a window can open. Ends the process if it is asked to stop during the download.
 * @returns {Promise<ReturnType<typeof findElectron>>}
 */
async function provideElectron() {
  const reason = args.length > 0 ? 'the desktop app accepts no options' : whyHeadless();
  if (reason !== undefined) return { kind: 'unusable', reason };
  const found = findElectron();
  if (found.kind !== 'not downloaded') return found;
  const stop = new AbortController();
  let exitCode = 0;
  const forget = onStopSignal((signal) => {
    exitCode = exitCodeOf(signal);
    stop.abort();
  });
  const failure = await getElectron({ stop: stop.signal });
  forget();
  if (stop.signal.aborted) process.exit(exitCode);
  return failure === undefined ? findElectron() : { kind: 'unusable', reason: failure };
}

/**
 * Runs the desktop app, and exits when it exits. Returns only if Electron ended before the app was ready, with the reason. Exit
 * code 0 is not a failure: the app was already running, and has shown its window.
 * @param {string} path
 * @param {NodeJS.Timeout | undefined} watch the timer of `stopWithNpm`, which is stopped at the first signal: a second signal
 * would kill Electron
 */
async function runApp(path, watch) {
  // ELECTRON_RUN_AS_NODE, which editors set in their terminals, would turn Electron into plain Node.
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: undefined, COUNTERFOIL_READY_FD: '3' };
  const child = spawn(path, [root], { stdio: ['inherit', 'inherit', 'inherit', 'pipe'], env });
  let isReady = false;
  const ready = child.stdio[3];
  ready?.on('data', () => (isReady = true)).on('error', () => {}); // errors are ignored, because Electron's exit is handled below
  const { code, cause, wasStopped } = await follow(child, () => clearInterval(watch));
  await setImmediate(); // gives the listener above time to read what the app wrote just before its end
  ready?.destroy(); // closes the pipe, because a process that Electron left behind may keep it open
  if (isReady || wasStopped || code === 0) process.exit(code);
  return cause.startsWith('SIG') && isSandboxBlocked(path) // Chromium that may not use a sandbox ends with a signal
    ? 'this system allows no user namespaces for Electron’s sandbox; “The sandbox on Linux” in docs/deploy.md says what to do'
    : `Electron ended before the app was ready (${cause})`;
}

/**
 * Stops this process when npm stops. A SIGTERM to npm ends only npm's shell, so the gateway would keep running unnoticed.
 * @returns {NodeJS.Timeout} the timer; clear it to stop watching
 */
function stopWithNpm() {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 200).unref();
  return watch;
}

/** @param {typeof bundles[number]} bundle */
function isStale({ config, out, made, sources }) {
  const file = join(root, out, made);
  if (!existsSync(file)) return true;
  const all = [...sources, config, 'package.json', 'package-lock.json'];
  return all.some((source) => newestMs(join(root, source)) > statSync(file).mtimeMs);
}

/** @type {(path: string) => number} A folder counts too: its time changes when a file is deleted. */
function newestMs(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

/**
 * Builds into a new folder, then swaps the folders. So a failed build leaves the old bundle and a running gateway intact.
 * @param {typeof bundles[number]} bundle
 */
function build({ name, config, out, made }) {
  console.error(`Building the ${name} …`);
  const startedAt = new Date();
  const target = join(root, out);
  const fresh = makeFolder(`${target}-`);
  const vite = [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', config];
  const options = ['--configLoader', 'native', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'];
  // with any other value, the bundle would contain the slow build of React
  const env = { ...process.env, NODE_ENV: 'production' };
  const { status } = spawnSync(process.execPath, [...vite, ...options], { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    rmSync(fresh, { recursive: true });
    console.error(`The ${name} could not be built. After \`npm ci\` it can.`);
    process.exit(1);
  }
  openToReaders(fresh);
  // the start of the build, so that files edited during the build count as newer
  utimesSync(join(fresh, made), startedAt, startedAt);
  const old = `${fresh}-old`;
  if (existsSync(target)) renameSync(target, old);
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}

/** @type {(folder: string) => void} Lets other users read a fresh build, whatever the umask is. */
function openToReaders(folder) {
  const dist = dirname(folder);
  if ((statSync(dist).mode & 0o755) !== 0o755) chmodSync(dist, 0o755);
  const within = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  for (const path of [folder, ...within]) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
}

/** @type {(prefix: string) => string} Makes a fresh folder. */
function makeFolder(prefix) {
  try {
    mkdirSync(dirname(prefix), { recursive: true });
    return mkdtempSync(prefix);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EACCES') throw error;
    console.error(`You may not write to ${root}: it belongs to another user. Use a checkout of your own.`);
    process.exit(1);
  }
}

/** Runs this script again on the Node that `npm ci` installs. The scripts of npm find that Node automatically. */
async function runAgainOnOwnNode() {
  const own = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(own)) {
    console.error(
      `Counterfoil needs Node 24 or newer, this is ${process.version}. Run \`npm ci\`, or install a newer Node.`,
    );
    process.exit(1);
  }
  // Passes on only the flags that package.json sets. Other flags are meant for this process only.
  const flags = process.execArgv.filter((flag) => /^--max-(?:semi|old)-space-size=/.test(flag));
  const { code } = await follow(spawn(own, [...flags, ...process.argv.slice(1)], { stdio: 'inherit' }));
  process.exit(code);
}
