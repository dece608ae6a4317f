// The command line as another user of this machine: root may read and write everything, so a missing permission only shows to
// somebody else.

import { execFile } from 'node:child_process';
import { join } from 'node:path';

import type { CommandResult } from './gateway-process.ts';

const MAIN = join(import.meta.dirname, '../../server/main.ts');
/** Of `nobody` on Linux, who owns nothing. */
export const NOBODY = 65_534;

/** Whether this machine lets the tests act as another user. */
export const HAS_OTHER_USER = process.platform === 'linux' && process.getuid?.() === 0;

/** Runs a command as `nobody`. */
export async function runAsNobody(...args: readonly string[]): Promise<CommandResult> {
  const own = Object.entries(process.env).filter(([name]) => !/^(COUNTERFOIL_|NODE_)/.test(name));
  const options = { uid: NOBODY, gid: NOBODY, cwd: '/', env: Object.fromEntries(own) };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), signal: error?.signal ?? null, stdout, stderr }),
    );
  });
}
