// Starts a gateway that may open only a few files. Clients' connections never use up the files that the store, the log file
// and the upstream need.

import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

import { expect, onTestFinished, test } from 'vitest';

import { BUNDLE, exitOf } from '../support/gateway-process.ts';
import { openRawConnection } from '../support/raw-call.ts';
import { temporaryFolder } from '../support/temp-store.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const HEALTH = 'GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n';

/** Starts a gateway under the shell's limit on open files. Windows has no `ulimit`. */
async function startLimited(files: number): Promise<string> {
  const command = `ulimit -n ${files} && exec "$0" "$@"`;
  const serve = [
    join(ROOT, BUNDLE),
    'serve',
    '--data',
    temporaryFolder(),
    '--port',
    '0',
    '--console-port',
    '0',
    '--json',
  ];
  const child = spawn('/bin/sh', ['-c', command, process.execPath, ...serve], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exitOf(child);
  });
  for await (const line of createInterface(child.stdout)) return (JSON.parse(line) as { api: string }).api;
  throw new Error('the gateway did not start');
}

test('with 400 files, 450 open connections do not keep a new till out', async ({ skip }) => {
  if (process.platform !== 'linux') return skip('not run: only Linux says how many files a process may open');
  const url = await startLimited(400);
  for (let i = 0; i < 450; i++) {
    const idle = await openRawConnection(url);
    onTestFinished(() => idle.destroy());
  }
  const till = await openRawConnection(url);
  onTestFinished(() => till.destroy());
  till.send(HEALTH);
  expect((await till.next())?.status).toBe(200);
});
