// Runs the gateway from a checkout. It builds what is stale and then becomes the command line, in this process, so that
// signals and the exit code need no passing on.
//
//   node build/run.mjs build           builds
//   node build/run.mjs start …         npm start: serve, with what a newcomer needs printed
//   node build/run.mjs run <command> … npm run counterfoil -- <command> …; standard output is the command's alone
//
// Plain JavaScript, because an older Node must get as far as the first check.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'dist', 'node');
const main = join(out, 'main.mjs');
const sources = ['server', 'build/vite.node.config.ts', 'package.json', 'package-lock.json'];
const [role, ...args] = process.argv.slice(2);
const parent = process.ppid; // before the build, which takes a while

if (Number(process.versions.node.split('.')[0]) < 24) runAgainOnOwnNode();
else await run();

async function run() {
  if (role === 'build' || isStale()) build();
  if (role === 'build') return;
  if (role === 'start') console.error('The desktop app is not part of this version yet: running without a screen.');
  // npm changes to the root of the checkout; a file named in an argument is meant from where the user is.
  if (process.cwd() === root && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  stopWithNpm();
  process.argv = [process.execPath, main, ...(role === 'start' ? ['serve', '--welcome'] : []), ...args];
  await import(pathToFileURL(main).href);
}

/** A SIGTERM that npm gets ends its shell and not what runs in it: the gateway would stay behind, unseen. */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 200).unref();
}

function isStale() {
  return !existsSync(main) || sources.some((source) => newestMs(join(root, source)) > statSync(main).mtimeMs);
}

/** @type {(path: string) => number} A folder counts too: its time tells of a file that is gone. */
function newestMs(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

/** Builds beside and then swaps: a build that fails or is interrupted leaves the old one, and a running gateway whole. */
function build() {
  console.error('Building the gateway …');
  const startedAt = new Date();
  mkdirSync(dirname(out), { recursive: true });
  const fresh = mkdtempSync(`${out}-`);
  const vite = [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', 'build/vite.node.config.ts'];
  const options = ['--configLoader', 'native', '--outDir', fresh, '--logLevel', 'warn'];
  const { status } = spawnSync(process.execPath, [...vite, ...options], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    rmSync(fresh, { recursive: true });
    console.error('The gateway could not be built. After `npm ci` it can.');
    process.exit(1);
  }
  utimesSync(join(fresh, 'main.mjs'), startedAt, startedAt); // what was edited during the build is newer
  const old = `${fresh}-old`;
  if (existsSync(out)) renameSync(out, old);
  renameSync(fresh, out);
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
