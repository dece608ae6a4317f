// Starts the gateway from the bundle and from the sources. In both forms, threads and some modules are loaded by file name,
// only when they are needed. So a missing file would show only at run time.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { BUNDLE, exitOf, spawnProgram } from '../support/gateway-process.ts';
import { temporaryFolder } from '../support/temp-store.ts';
import { waitUntil } from '../support/wait-until.ts';

test.each([
  ['the bundle', BUNDLE],
  ['the sources', 'server/main.ts'],
])('%s starts, is ready for records, describes itself and stops on request', async (_name, path) => {
  const options = ['--data', temporaryFolder(), '--port', '0', '--console-port', '0', '--json'];
  const gateway = spawnProgram(path, ['serve', ...options]);
  onTestFinished(() => void gateway.kill('SIGKILL'));
  const exited = exitOf(gateway);
  const [line] = (await once(createInterface(gateway.stdout), 'line')) as [string];
  const { api } = z.object({ api: z.url() }).parse(JSON.parse(line));
  for (const route of ['/readyz', '/openapi.json']) {
    const { statusCode, body } = await request(api + route);
    await body.dump();
    expect(statusCode, route).toBe(200);
  }
  gateway.kill('SIGTERM');
  expect(await exited).toEqual({ code: 0, signal: null });
});

test('the link is printed to a terminal, never to a journal', async () => {
  const out = join(temporaryFolder(), 'out');
  for (const isJournal of [true, false]) {
    const file = openSync(out, 'w');
    const { dev, ino } = fstatSync(file);
    const options = ['--data', temporaryFolder(), '--port', '0', '--console-port', '0'];
    const env = { ...process.env, JOURNAL_STREAM: isJournal ? `${dev}:${ino}` : '1:1' };
    const gateway = spawn(process.execPath, [BUNDLE, 'serve', ...options], { stdio: ['ignore', file, 'ignore'], env });
    onTestFinished(() => void gateway.kill('SIGKILL'));
    await waitUntil(() => readFileSync(out, 'utf8').includes('Stop it with Ctrl-C'));
    expect(readFileSync(out, 'utf8').includes('/enter?code=')).toBe(!isJournal);
    gateway.kill('SIGTERM');
    await once(gateway, 'exit');
    closeSync(file);
  }
});

test('the bundle takes little memory: its files are ASCII, and none loads all of node:http', () => {
  const folder = dirname(BUNDLE);
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  expect(files.length).toBeGreaterThan(10);
  for (const name of files) {
    const code = readFileSync(join(folder, name), 'utf8');
    expect(/[^\0-\x7f]/.exec(code)?.[0], name).toBeUndefined();
    expect(code, name).not.toContain('from "node:http"');
  }
});
