// The service's archive that `npm run package` makes on macOS and Windows: its gateway runs from the extracted files alone, with the
// Node of the archive. Skipped on other systems.

import { execFileSync, spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { extract } from 'tar';
import { describe, expect, onTestFinished, test } from 'vitest';

import { temporaryFolder } from '../support/temp-store.ts';
import { ROOT } from './packaged.ts';

const isWindows = process.platform === 'win32';

describe.skipIf(process.platform === 'linux')('the service’s archive', () => {
  test('has a gateway that starts with its own Node and answers', async () => {
    const [file] = globSync('release/counterfoil-service_*.tar.gz', { cwd: ROOT });
    if (file === undefined) throw new Error('No archive is packaged: npm run package does it first.');
    const [place, dataDir] = [temporaryFolder(), temporaryFolder()];
    await extract({ file: join(ROOT, file), cwd: place, strip: 1 });
    const node = join(place, isWindows ? 'node.exe' : 'node');
    const main = join(place, 'dist/node/main.mjs');
    const args = [main, 'serve', '--port', '0', '--console-port', '0', '--data', dataDir];
    const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    onTestFinished(async () => {
      child.kill();
      await ended;
    });
    let url: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      url = /metrics +(\S+)\/metrics/.exec(line)?.[1];
      if (url !== undefined) break;
    }
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test.skipIf(isWindows)('has settings that launchd can read', () => {
    const plist = join(ROOT, 'build/mac/shop.counterfoil.service.plist');
    expect(execFileSync('/usr/bin/plutil', ['-lint', plist], { encoding: 'utf8' })).toContain('OK');
  });
});
