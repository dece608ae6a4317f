// Runs the bundle as users do: in child processes, on a data directory in a temporary folder. Tests see these processes only
// from outside. Closing a site ends its processes and removes its folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import type { Mode } from '../../server/contract/codes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The program that users run. The e2e tests build it from the current sources first. */
export const BUNDLE = 'dist/node/main.mjs';
/** After SIGTERM, a gateway is killed after this time. `exit.signal` then names the signal. */
const MAX_STOP_MS = 60_000;
/** A command is killed after this time. `exit.signal` then names the signal. */
const MAX_COMMAND_MS = 60_000;

/** How a process ended: with a code, or by a signal. */
export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type CommandResult = Exit & { readonly stdout: string; readonly stderr: string };

/** How a gateway ended, and its stderr. The stderr must be empty. */
export type GatewayExit = Exit & { readonly stderr: string };

export interface GatewayProcess {
  /** The address for tills. */
  readonly url: string;
  readonly consoleUrl: string;
  readonly port: number;
  readonly pid: number;
  readonly exited: Promise<GatewayExit>;
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, and SIGKILL after a minute. */
  stop(): Promise<GatewayExit>;
}

export interface Site {
  readonly dataDir: string;
  /**
   * Resolves when the gateway prints that it is ready. If the gateway ends before that, throws its output. `flags` go to
   * `serve`.
   */
  startGateway(port?: number, ...flags: string[]): Promise<GatewayProcess>;
  /** Runs a command of the command line on this data directory. */
  run(...args: string[]): Promise<CommandResult>;
  /** Runs a command with --json and returns its output. Throws if it fails. */
  runJson(...args: string[]): Promise<unknown>;
  createKey(label: string, mode?: Mode): Promise<{ readonly id: number; readonly key: string }>;
  /** Ends every process of this site and removes the folder. */
  close(): Promise<void>;
}

/** The flags of every packaged gateway. */
const HEAP_BOUNDS = ['--max-semi-space-size=8', '--max-old-space-size=1024'];

const createdKey = z.object({ id: z.int(), key: z.string() });
const readyLine = z.object({ ready: z.literal(true), api: z.url(), console: z.url() });

/**
 * Makes an empty data directory for the gateway `program`, which also gets the environment variables `variables`. Keys belong
 * to the administration "Bakery". `enter` is a command that runs each program elsewhere, such as on another host.
 */
export async function openSite(
  program = BUNDLE,
  variables: NodeJS.ProcessEnv = {},
  enter: readonly string[] = [],
): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-e2e-'));
  const dataDir = join(folder, 'data');
  const processes = new Set<Promise<Exit>>();
  const children = new Set<ChildProcess>();

  function start(args: readonly string[]) {
    const child = spawnProgram(program, [...args, '--data', dataDir], variables, undefined, enter);
    children.add(child);
    const exited = exitOf(child);
    processes.add(exited);
    void exited.then(() => children.delete(child));
    return { child, exited };
  }

  async function startGateway(port = 0, ...flags: string[]): Promise<GatewayProcess> {
    const { child, exited: ended } = start([
      'serve',
      '--port',
      String(port),
      '--console-port',
      '0',
      '--json',
      ...flags,
    ]);
    const exited = Promise.all([ended, text(child.stderr)]).then(([exit, stderr]) => ({ ...exit, stderr }));
    const line = await Promise.race([firstLine(child), exited]);
    if (typeof line !== 'string') throw new Error(`the gateway ended with ${line.code ?? line.signal}: ${line.stderr}`);
    const ready = readyLine.parse(JSON.parse(line));
    return {
      url: ready.api,
      consoleUrl: ready.console,
      port: Number(new URL(ready.api).port),
      pid: child.pid ?? 0,
      exited,
      kill: (signal) => void child.kill(signal),
      async stop() {
        child.kill('SIGTERM');
        return endWithin(MAX_STOP_MS, child, exited);
      },
    };
  }

  async function run(...args: string[]): Promise<CommandResult> {
    const { child, exited } = start(args);
    const [stdout, stderr, exit] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      endWithin(MAX_COMMAND_MS, child, exited),
    ]);
    return { ...exit, stdout, stderr };
  }

  async function runJson(...args: string[]): Promise<unknown> {
    const { code, stdout, stderr } = await run(...args, '--json');
    if (code !== 0) throw new Error(`counterfoil ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout);
  }

  return {
    dataDir,
    startGateway,
    run,
    runJson,
    async createKey(label, mode = 'test') {
      return createdKey.parse(
        await runJson('keys', 'create', '--administration', 'Bakery', '--mode', mode, '--label', label),
      );
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(processes);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Starts the command line with `input` on its standard input. */
export function spawnCommand(args: readonly string[], input?: string) {
  return spawnProgram(BUNDLE, args, {}, input);
}

/**
 * Starts a program of this checkout with `input` on its standard input. It gets only the settings in `variables`, not the
 * developer's own settings.
 */
export function spawnProgram(
  path: string,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
  input?: string,
  enter: readonly string[] = [],
) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERFOIL_'));
  const env = { ...Object.fromEntries(own), ...variables };
  const [command = '', ...rest] = [...enter, process.execPath, ...HEAP_BOUNDS, resolve(ROOT, path), ...args];
  const child = spawn(command, rest, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {}); // ignores EPIPE: a command may end without reading its input
  child.stdin.end(input);
  return child;
}

export function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', reject);
  });
}

async function endWithin<E extends Exit>(ms: number, child: ChildProcess, exited: Promise<E>): Promise<E> {
  const timer = new AbortController();
  const kill = delay(ms, undefined, { signal: timer.signal }).then(
    () => child.kill('SIGKILL'),
    () => {},
  );
  const exit = await exited;
  timer.abort();
  await kill;
  return exit;
}

/** Resolves to the first line that a process prints; later output is ignored. Stays pending if the process prints no line. */
function firstLine(child: ReturnType<typeof spawnProgram>): Promise<string> {
  return new Promise((resolve) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      printed += part;
      if (printed.includes('\n')) resolve(printed.slice(0, printed.indexOf('\n')));
    });
  });
}
