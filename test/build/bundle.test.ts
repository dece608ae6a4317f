// The bundle that `npm start` runs. Building it proves little: its threads and its late imports are found by file name
// only when they are wanted.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { temporaryFolder } from '../support/temp-store.ts';

const root = join(import.meta.dirname, '../..');

test('the bundle starts, is ready for records, describes itself and stops when told', async () => {
  // Under the root, because what is not bundled is looked for in its node_modules.
  mkdirSync(join(root, 'test-results'), { recursive: true });
  const bundle = mkdtempSync(join(root, 'test-results/bundle-'));
  onTestFinished(() => rmSync(bundle, { recursive: true }));
  const vite = ['build', '--config', 'build/vite.node.config.ts', '--configLoader', 'native', '--outDir', bundle];
  execFileSync(process.execPath, ['node_modules/vite/bin/vite.js', ...vite, '--logLevel', 'error'], { cwd: root });

  const options = ['--data', temporaryFolder(), '--port', '0', '--console-port', '0', '--json'];
  const gateway = spawn(process.execPath, [join(bundle, 'main.mjs'), 'serve', ...options]);
  onTestFinished(() => void gateway.kill('SIGKILL'));
  const exited = once(gateway, 'exit');
  const [line] = (await once(createInterface(gateway.stdout), 'line')) as [string];
  const { api } = z.object({ api: z.url() }).parse(JSON.parse(line));
  for (const path of ['/readyz', '/openapi.json']) {
    const { statusCode, body } = await request(api + path);
    await body.dump();
    expect(statusCode, path).toBe(200);
  }
  gateway.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
