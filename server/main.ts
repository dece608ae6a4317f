#!/usr/bin/env node
// The command line: runs a command and turns its error into a sentence and an exit code.

import { setFlagsFromString } from 'node:v8';

import { CommanderError } from 'commander';

import { makeCommandTable } from './command/table.ts';
import { failureOf, tellDesktop } from './desktop.ts';
import { GatewayError, OperatorError, UsageError } from './errors.ts';

// V8 may otherwise allocate the objects of each call in its old generation, for as long as the process runs. A gateway under load
// then collects ten times as much garbage there (docs/performance.md#garbage-of-short-lived-objects).
setFlagsFromString('--no-allocation-site-pretenuring');

const program = makeCommandTable();

// The reader of the output, such as `head`, may close it early. This must not end the gateway or command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// Pauses and time-outs do not keep a process alive. While a command runs, this timer does. Otherwise a command whose upstream
// refuses connections would end before its next attempt, and would print nothing.
const alive = setInterval(() => {}, 2 ** 31 - 1);
try {
  // commander must not find the arguments itself: in a process that Electron forked, it would count the script as an argument.
  await program.parseAsync(process.argv.slice(2), { from: 'user' });
} catch (error) {
  process.exitCode = explain(error);
  tellDesktop(failureOf(error));
  // The message port of the desktop app would keep this process alive. So the process exits after half a second, in which it
  // can write pending output.
  setTimeout(() => process.exit(), 500).unref();
} finally {
  clearInterval(alive);
}

/** Prints the error in one line. For a bug, prints its stack instead. Returns the exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has already printed the error
  if (error instanceof UsageError) {
    console.error(`counterfoil: ${error.message}`);
    return 2;
  }
  const isExplained = error instanceof OperatorError || (error instanceof GatewayError && error.code !== 'internal');
  console.error(isExplained ? `counterfoil: ${error.message}` : error);
  return 1;
}
