/**
 * Owns everything that a run leaves on the machine: a temporary folder and the started processes. Stops the processes and
 * deletes the folder at the end, on an error, and on SIGINT or SIGTERM. Signals only processes that were given to `own`.
 */
import type { ChildProcess } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export type Owned = { stop: () => Promise<void> };

export type Workspace = {
  folder: string;
  /** Creates a new, empty folder in the workspace and returns its path. */
  makeFolder(name: string): string;
  /**
   * Registers a process. `stop` sends the signal, sends SIGKILL after ten seconds, and waits for the process to end. Calling
   * `stop` twice is safe.
   */
  own(child: ChildProcess, signal: NodeJS.Signals): Owned;
  close(): Promise<void>;
};

export function openWorkspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'));
  chmodSync(folder, 0o711); // a subject that may not run as root must reach its own folder
  const running = new Set<Owned>();
  let folders = 0;

  const workspace: Workspace = {
    folder,
    makeFolder(name) {
      folders += 1;
      const path = join(folder, `${folders}-${name}`);
      mkdirSync(path);
      return path;
    },
    own(child, signal) {
      const ended = new Promise<void>((resolve) => {
        if (hasEnded(child)) resolve();
        child.once('exit', () => resolve());
        child.once('error', () => resolve()); // the process never started
      });
      const owned: Owned = {
        async stop() {
          if (!hasEnded(child)) child.kill(signal);
          const late = new AbortController();
          const kill = delay(10_000, undefined, { signal: late.signal }).then(
            () => child.kill('SIGKILL'),
            () => undefined,
          );
          await ended;
          late.abort();
          await kill;
          running.delete(owned);
        },
      };
      running.add(owned);
      return owned;
    },
    async close() {
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
      await Promise.all([...running].map((owned) => owned.stop()));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };

  function interrupted(signal: NodeJS.Signals): void {
    process.stderr.write(`${signal}: stopping all processes and removing ${folder}\n`);
    void workspace.close().finally(() => process.exit(130));
  }
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  return workspace;
}

/**
 * Finds a free loopback port, for programs that cannot choose one themselves. Another program may take the port before it is
 * used.
 */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Resolves when something accepts a connection on the loopback port; rejects otherwise. */
export function tryConnecting(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(void socket.destroy()));
    socket.on('error', reject);
  });
}

/** Repeats an attempt until it succeeds. At the time-out, throws the last error. */
export async function tryFor(seconds: number, attempt: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(20);
    }
  }
}

/** Path of an executable in PATH or the further folders, in that order; undefined when it is not installed. */
export function findProgram(name: string, further: string[] = []): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...further];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
