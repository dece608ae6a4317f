// Waits for a child process that runs in the foreground, in the terminal of this process if it has one. Passes stop signals on,
// so that each signal reaches the child only once. Plain JavaScript, because an older Node must be able to parse it.

import { constants } from 'node:os';
import { isatty } from 'node:tty';

/** @typedef {'SIGINT' | 'SIGTERM' | 'SIGHUP'} StopSignal */
const STOP_SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** Whether this process was started in a terminal, even if the terminal closes later. */
const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));

/**
 * Calls the handler for each of the signals, until the returned function is called.
 * @param {(signal: StopSignal) => void} handler
 * @param {readonly StopSignal[]} signals
 */
export function onStopSignal(handler, signals = STOP_SIGNALS) {
  for (const signal of signals) process.on(signal, handler);
  return () => {
    for (const signal of signals) process.off(signal, handler);
  };
}

/** The exit code that a shell uses for a signal. @param {NodeJS.Signals} signal */
export function exitCodeOf(signal) {
  return 128 + constants.signals[signal];
}

/**
 * Waits for the end of a child, and forwards signals to it. In a terminal, Ctrl-C is not forwarded: the terminal sends it to
 * the child too, and a second signal would kill Electron. In a terminal, this process does not handle SIGHUP, so it ends when
 * the terminal closes. If it waited for the child instead, both might hang: the child may get its SIGHUP only after the
 * terminal's first process has ended.
 * @param {import('node:child_process').ChildProcess} child
 * @param {() => void} [onSignal] called at each signal
 * @returns {Promise<{ code: number, cause: string, wasStopped: boolean }>} the exit code, its cause in a few words,
 *   and whether this process was asked to stop
 */
export async function follow(child, onSignal) {
  let wasStopped = false;
  const forget = onStopSignal(
    (signal) => {
      wasStopped = true;
      onSignal?.();
      if (!hasTerminal || signal !== 'SIGINT') child.kill(signal);
    },
    hasTerminal ? ['SIGINT', 'SIGTERM'] : STOP_SIGNALS,
  );
  /** @type {{ code: number, cause: string }} */
  const ended = await new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, cause: error.message }));
    child.once('exit', (code, signal) =>
      resolve({ code: code ?? exitCodeOf(signal ?? 'SIGTERM'), cause: signal ?? `exit code ${code}` }),
    );
  });
  forget();
  return { ...ended, wasStopped };
}
