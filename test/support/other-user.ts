// Runs the command line as another user of this machine. Root may read and write everything, so only another user shows whether
// a permission is missing.

import { execFile } from 'node:child_process';
import { join } from 'node:path';

import { BUNDLE, type CommandResult } from './gateway-process.ts';

const MAIN = join(import.meta.dirname, '../..', BUNDLE);
/** The id of the user `nobody` on Linux, to whom no file belongs. */
export const NOBODY = 65_534;

/** Whether the tests can act as another user on this machine. */
export const HAS_OTHER_USER = process.platform === 'linux' && process.getuid?.() === 0;

/** A command is killed after this time. Its result then names the signal. */
const MAX_COMMAND_MS = 60_000;

/** Runs a command as `nobody`. */
export async function runAsNobody(...args: readonly string[]): Promise<CommandResult> {
  return run(args, { uid: NOBODY, gid: NOBODY });
}

/** Runs a command as the user who runs the tests. */
export async function runAsMe(...args: readonly string[]): Promise<CommandResult> {
  return run(args, {});
}

function run(args: readonly string[], user: { readonly uid?: number; readonly gid?: number }): Promise<CommandResult> {
  const own = Object.entries(process.env).filter(([name]) => !/^(COUNTERFOIL_|NODE_(?!COMPILE_CACHE))/.test(name));
  const options = { ...user, cwd: '/', env: Object.fromEntries(own), timeout: MAX_COMMAND_MS };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), signal: error?.signal ?? null, stdout, stderr }),
    );
  });
}
