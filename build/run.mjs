// Runs the gateway from a checkout. It builds what is stale and then becomes the command line, in this process, so that
// signals and the exit code need no passing on.
//
//   node build/run.mjs build           builds; with --stale what is stale alone
//   node build/run.mjs start …         npm start: the desktop app; where there is none, serve with what a newcomer needs printed
//   node build/run.mjs run <command> … npm run counterfoil -- <command> …; standard output is the command's alone
//
// Plain JavaScript, because an older Node must get as far as the first check.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { findElectron } from './find-electron.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** What is built: from which sources, to where, and the file whose time tells when. */
const bundles = /** @type {const} */ ([
  { name: 'gateway', config: 'build/vite.node.config.ts', out: 'dist/node', made: 'main.mjs', sources: ['server'] },
  {
    name: 'console',
    config: 'build/vite.renderer.config.ts',
    out: 'dist/renderer',
    made: 'index.html',
    sources: ['renderer', 'server/contract.ts'],
  },
  {
    name: 'desktop app',
    config: 'build/vite.electron.config.ts',
    out: 'dist/electron',
    made: 'main.mjs',
    sources: ['electron', 'server/contract.ts'],
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
const parent = process.ppid; // before the build, which takes a while

if (Number(process.versions.node.split('.')[0]) < 24) runAgainOnOwnNode();
else await run();

async function run() {
  const [gateway, pages] = bundles;
  const electron =
    role !== 'start' ? undefined : args.length > 0 ? { reason: 'options are for the gateway alone' } : findElectron();
  const needsPages = role !== 'run' || args[0] === 'serve';
  const needsApp = role === 'build' || electron?.path !== undefined;
  for (const bundle of needsApp ? bundles : needsPages ? [gateway, pages] : [gateway])
    if ((role === 'build' && !args.includes('--stale')) || isStale(bundle)) build(bundle);
  if (role === 'build') return;
  if (electron?.path !== undefined) return becomeApp(electron.path);
  if (role === 'start') console.error(`Running without a window: ${electron?.reason}.`);
  // npm changes to the root of the checkout; a file named in an argument is meant from where the user is.
  if (process.cwd() === root && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  if (process.env.npm_lifecycle_event !== undefined) {
    process.env.COUNTERFOIL_PROGRAM = 'npm run -s counterfoil --';
    stopWithNpm();
  }
  process.argv = [process.execPath, main, ...(role === 'start' ? ['serve', '--welcome'] : []), ...args];
  await import(pathToFileURL(main).href);
}

/**
 * Signals and the exit code are passed on.
 * @param {string} path
 */
function becomeApp(path) {
  const child = spawn(path, [root], { stdio: 'inherit' });
  if (process.env.npm_lifecycle_event !== undefined) stopWithNpm();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
}

/** A SIGTERM that npm gets ends its shell and not what runs in it: the gateway would stay behind, unseen. */
function stopWithNpm() {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 200).unref();
}

/** @param {typeof bundles[number]} bundle */
function isStale({ config, out, made, sources }) {
  const file = join(root, out, made);
  if (!existsSync(file)) return true;
  const all = [...sources, config, 'package.json', 'package-lock.json'];
  return all.some((source) => newestMs(join(root, source)) > statSync(file).mtimeMs);
}

/** @type {(path: string) => number} A folder counts too: its time tells of a file that is gone. */
function newestMs(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

/**
 * Builds beside and then swaps: a build that fails or is interrupted leaves the old one, and a running gateway whole.
 * @param {typeof bundles[number]} bundle
 */
function build({ name, config, out, made }) {
  console.error(`Building the ${name} …`);
  const startedAt = new Date();
  const target = join(root, out);
  mkdirSync(dirname(target), { recursive: true });
  const fresh = mkdtempSync(`${target}-`);
  const vite = [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', config];
  const options = ['--configLoader', 'native', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'];
  const env = { ...process.env, NODE_ENV: 'production' }; // whoever builds for tests would get React's slow half otherwise
  const { status } = spawnSync(process.execPath, [...vite, ...options], { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    rmSync(fresh, { recursive: true });
    console.error(`The ${name} could not be built. After \`npm ci\` it can.`);
    process.exit(1);
  }
  utimesSync(join(fresh, made), startedAt, startedAt); // what was edited during the build is newer
  const old = `${fresh}-old`;
  if (existsSync(target)) renameSync(target, old);
  renameSync(fresh, target);
  rmSync(old, { recursive: true, force: true });
}

/** The Node that `npm ci` brings along; npm's scripts find it by themselves. */
function runAgainOnOwnNode() {
  const own = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(own)) {
    console.error(
      `Counterfoil needs Node 24 or newer, this is ${process.version}. Run \`npm ci\`, or install a newer Node.`,
    );
    process.exit(1);
  }
  // Only the flag that package.json gives: others may be what made this process what it is.
  const flags = process.execArgv.filter((flag) => flag.startsWith('--max-semi-space-size='));
  const child = spawn(own, [...flags, ...process.argv.slice(1)], { stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    // A terminal sends Ctrl-C to both processes by itself.
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal));
  }
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
}
