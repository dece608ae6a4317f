#!/usr/bin/env node
// The command line: runs a command and turns its error into a sentence and an exit code.

import { CommanderError } from 'commander';

import { makeCommandTable } from './command/table.ts';
import { failureOf, tellDesktop } from './desktop.ts';
import { GatewayError, OperatorError, UsageError } from './errors.ts';

const program = makeCommandTable();

// The reader of the output may close it early, for example `head`. The gateway or command then keeps running.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

try {
  // Passes the arguments itself, because in a process forked by Electron commander would count the script as an argument.
  await program.parseAsync(process.argv.slice(2), { from: 'user' });
} catch (error) {
  process.exitCode = explain(error);
  tellDesktop(failureOf(error));
  // The desktop app's port would keep this process alive. So it exits after half a second, in which pending output is written.
  setTimeout(() => process.exit(), 500).unref();
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
