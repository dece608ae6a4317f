// A stand-in for the Electron calls that fork and stop the gateway, with Electron's own types. The forked gateway is real: the
// bundle, on plain Node.

import { fork as forkNode } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { UtilityProcess } from 'electron';

import type { Fork } from '../../electron/gateway-process.ts';

const PARENT_PORT = fileURLToPath(new URL('parent-port.mjs', import.meta.url));

export interface Forks {
  readonly fork: Fork;
  /** The exit codes of ended gateways; null after a signal. */
  readonly exits: readonly (number | null)[];
  readonly running: ReadonlySet<{ readonly args: readonly string[]; kill(signal?: NodeJS.Signals): void }>;
}

/** Forks like `utilityProcess.fork`; `flags` are extra flags for `serve`. */
export function openForks(flags: readonly string[] = []): Forks {
  const running = new Set<{ args: readonly string[]; kill(signal?: NodeJS.Signals): void }>();
  const exits: (number | null)[] = [];
  return {
    exits,
    running,
    fork(modulePath, args) {
      const all = args[0] === 'serve' ? [...args, ...flags] : args;
      const child = forkNode(PARENT_PORT, [modulePath, ...all], {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        execArgv: [],
      });
      const made = Object.assign(new EventEmitter(), {
        pid: child.pid,
        stdout: child.stdout,
        stderr: child.stderr,
        // Electron kills a process after about two seconds if it ignores the signal or is suspended.
        kill() {
          setTimeout(() => child.kill('SIGKILL'), 2000).unref();
          return child.kill();
        },
        // Electron drops a message to a process that has ended.
        postMessage: (message: unknown) => void (child.connected && child.send(message as object, () => {})),
      });
      child.on('message', (message) => made.emit('message', message));
      const entry = { args, kill: (signal: NodeJS.Signals = 'SIGKILL') => void child.kill(signal) };
      running.add(entry);
      child.once('exit', (code) => {
        running.delete(entry);
        if (args[0] === 'serve') exits.push(code);
        made.emit('exit', code ?? 1);
        for (const stream of [child.stdout, child.stderr]) stream?.removeAllListeners(); // as Electron does
      });
      return made as unknown as UtilityProcess;
    },
  };
}
