/**
 * Starts and stops the gateway for the benchmarks. Uses only its command line, never its modules. Runs the build, or the
 * sources if there is no build.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { Workspace } from './workspace.ts';

/** The root folder of this checkout. */
const here = fileURLToPath(new URL('../..', import.meta.url));
/** The same flags as `npm start`; docs/performance.md gives the reasons. */
const nodeFlags = ['--max-semi-space-size=8', '--max-old-space-size=1024'];
const entries = ['dist/node/main.mjs', 'server/main.ts']; // the gateway's entry files; the first one that exists is run
const tills = 4;
const administration = ['--administration', 'Bench'];
/** The options that name the only journal of the tills. */
const journal = [...administration, '--mode', 'production'];
const startSeconds = 60;
const keptStderr = 2000;

export type Gateway = {
  /** The data folder. */
  data: string;
  address: { host: string; port: number };
  /** A one-time link to the gateway's console. */
  link: string;
  pid: number;
  /** Milliseconds from spawning the process until it prints that it is ready. */
  readyMs: number;
  stop: () => Promise<void>;
};

/** The entry file of a checkout, relative to it. Warns when the build is older than the sources. Throws when neither exists. */
export function findGatewayEntry(checkout = here): { path: string; note: string } {
  const path = entries.find((entry) => existsSync(join(checkout, entry)));
  if (path === undefined) throw new Error(`there is no ${entries.join(' and no ')}`);
  if (path === entries.at(-1)) return { path, note: `${path} (no build found, run from the sources)` };
  const builtAt = statSync(join(checkout, path)).mtimeMs;
  const isStale = globSync('server/**/*.ts', { cwd: checkout }).some(
    (file) => statSync(join(checkout, file)).mtimeMs > builtAt,
  );
  return { path, note: isStale ? `${path} (OLDER than the sources: build first)` : path };
}

/** Starts the gateway on a data folder. Throws with the end of its stderr when it is not ready in time. */
export async function startGateway(workspace: Workspace, data: string, checkout = here): Promise<Gateway> {
  const serve = ['serve', '--data', data, '--port', '0', '--console-port', '0', '--json'];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...nodeFlags, join(checkout, findGatewayEntry(checkout).path), ...serve], {
    env: cleanEnvironment(),
  });
  const { stop } = workspace.own(child, 'SIGTERM');
  const { promise, resolve, reject } = Promise.withResolvers<ReadyLine & { readyMs: number }>();
  const timer = setTimeout(() => reject(new Error('no ready line in time')), startSeconds * 1000);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (stdout.includes('\n')) return; // keeps reading, because a full pipe would block the gateway
    stdout += text;
    const line = /^(.*)\n/.exec(stdout)?.[1];
    if (line === undefined) return;
    try {
      resolve({ ...parseReadyLine(line), readyMs: performance.now() - startedAt });
    } catch (error) {
      reject(error);
    }
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-keptStderr)));
  child.once('error', reject);
  child.once('exit', (code, signal) => reject(new Error(`it ended with ${code ?? signal}`)));
  try {
    const { host, port, link, readyMs } = await promise;
    return { data, address: { host, port }, link, pid: child.pid ?? 0, readyMs, stop };
  } catch (error) {
    await stop();
    throw new Error(`the gateway did not start: ${String(error)} ${lastLine(stderr)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Creates a production key for each till, all in one administration, so in one journal. Returns the keys. */
export async function createTillKeys(
  workspace: Workspace,
  data: string,
  checkout = here,
  count = tills,
): Promise<string[]> {
  const keys: string[] = [];
  for (let till = 1; till <= count; till += 1) {
    const answer = await runCommand(
      workspace,
      data,
      ['keys', 'create', ...journal, '--label', `Till ${till}`],
      checkout,
    );
    if (typeof answer !== 'object' || answer === null || !('key' in answer) || typeof answer.key !== 'string')
      throw new Error('no key in the answer');
    keys.push(answer.key);
  }
  return keys;
}

/** Sets the upstream of the tills' records. Resolves when a running gateway knows the change. */
export async function setUpstream(
  workspace: Workspace,
  data: string,
  url: string,
  token: string,
  checkout = here,
): Promise<void> {
  await runCommand(workspace, data, ['upstream', 'set', ...journal, '--url', url, '--token', token], checkout);
}

/** Sets a rule for amounts. Generated sales contain no total, so their receipt number stands in for it. */
export async function setAmountRule(workspace: Workspace, data: string): Promise<void> {
  const rule = ['--type', 'sale', '--total', '/object/receipt', '--currency', 'EUR'];
  await runCommand(workspace, data, ['amounts', 'set', ...administration, ...rule]);
}

/** Sets the time zone of the store days and their cut-off, such as 04:00. */
export async function setStoreDays(workspace: Workspace, data: string, zone: string, startsAt: string): Promise<void> {
  const rule = ['--time-zone', zone, '--day-starts-at', startsAt];
  await runCommand(workspace, data, ['administrations', 'set', ...administration, ...rule]);
}

export async function pauseOrResume(workspace: Workspace, data: string, act: 'pause' | 'resume'): Promise<void> {
  await runCommand(workspace, data, ['upstream', act, ...journal]);
}

/** Makes a backup, like an operator beside a running gateway. */
export async function backUp(workspace: Workspace, data: string, file: string): Promise<void> {
  await runCommand(workspace, data, ['backup', file]);
}

/** Restores a backup to a data folder, as the only gateway with these data. */
export async function restore(workspace: Workspace, file: string, data: string): Promise<void> {
  await runCommand(workspace, data, ['restore', file, '--new-identity']);
}

/** The number of the tills' records that still wait. */
export async function countWaiting(workspace: Workspace, data: string, checkout = here): Promise<number> {
  const status = await runCommand(workspace, data, ['status'], checkout);
  // `counterfoil status` prints this type
  const { journals } = status as { journals: { mode: string; lane: { waiting: number } }[] };
  return journals.find(({ mode }) => mode === 'production')?.lane.waiting ?? Number.NaN;
}

/** Runs a command on a data folder and returns its output. */
async function runCommand(workspace: Workspace, data: string, words: string[], checkout = here): Promise<unknown> {
  const command = [join(checkout, findGatewayEntry(checkout).path), ...words, '--data', data, '--json'];
  const running = promisify(execFile)(process.execPath, command, {
    env: cleanEnvironment(),
    timeout: startSeconds * 1000,
  });
  workspace.own(running.child, 'SIGTERM');
  try {
    return JSON.parse((await running).stdout) as unknown;
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
    throw new Error(`${words.slice(0, 2).join(' ')} failed: ${lastLine(stderr)}`, { cause: error });
  }
}

type ReadyLine = { host: string; port: number; link: string };

function parseReadyLine(line: string): ReadyLine {
  const ready: unknown = JSON.parse(line);
  if (typeof ready !== 'object' || ready === null || !('api' in ready) || typeof ready.api !== 'string') {
    throw new Error(`this is no ready line: ${line}`);
  }
  const { hostname, port } = new URL(ready.api);
  const link = 'link' in ready ? String(ready.link) : ''; // the gateway of another checkout may have no console
  return { host: hostname, port: Number(port), link };
}

/** The environment without the user's own settings, which must not affect the measurement. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([key]) => !key.startsWith('COUNTERFOIL_'));
  return { ...Object.fromEntries(kept), NODE_ENV: 'production' };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
