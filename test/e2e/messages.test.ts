// What the command line says to whoever runs it, and how it ends when nobody reads on.

import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';

import { expect, onTestFinished, test } from 'vitest';

import { type CommandResult, exitOf, spawnProgram } from '../support/gateway-process.ts';

const TIMEOUT = { timeout: 60_000 };

function start(...args: string[]) {
  const child = spawnProgram('server/main.ts', args);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function run(...args: string[]): Promise<CommandResult> {
  const child = start(...args);
  const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  return { ...exit, stdout, stderr };
}

test('a data directory in a place that takes none ends serve with 1 and one sentence', TIMEOUT, async (context) => {
  if (!existsSync('/proc/self')) return context.skip('not run: there is no /proc');
  for (const dataDir of ['/proc/counterfoil', '/proc']) {
    const { code, stdout, stderr } = await run('serve', '--data', dataDir, '--port', '0', '--console-port', '0');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^counterfoil: The data in \/proc\S* cannot be opened: .+\.\n$/);
  }
});
