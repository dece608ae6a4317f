// Packages for another system or processor, built on this machine with a stand-in for Electron. Each package must contain the
// target's native module; otherwise the build must fail.

import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { expect, test } from 'vitest';

import { readBinaryTarget } from '../../build/read-binary.mjs';
import { temporaryFolder } from '../support/temp-store.ts';
import { ROOT } from './packaged.ts';

const UPDATES = 'https://updates.example.com/counterfoil';
const OTHER = process.arch === 'x64' ? 'arm64' : 'x64';

interface Made {
  readonly out: string;
  readonly status: number | null;
  readonly said: string;
}
function make(args: readonly string[], env: Readonly<Record<string, string>> = {}): Made {
  const out = join(temporaryFolder(), 'out');
  const command = [join(ROOT, 'build/package.mjs'), '--stand-in', `--out=${out}`, ...args];
  const { status, stderr } = spawnSync(process.execPath, command, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { out, status, said: stderr };
}
const listNatives = (out: string): string[] => globSync('**/*.node', { cwd: out }).map((path) => join(out, path));

test('a package for Windows on the other processor has that native module and no other', () => {
  const { out, status, said } = make(['--platform=win32', `--arch=${OTHER}`]);
  expect([status, said]).toEqual([0, expect.any(String)]);
  const natives = listNatives(out);
  expect(natives.map((path) => basename(path))).toEqual([`win32-${OTHER}.node`]);
  expect(readBinaryTarget(natives[0] ?? '')).toBe(`win32-${OTHER}`);
});

// This PATH has no dpkg-deb. With dpkg-deb the build would also make the service package, which needs Node for the other
// processor.
test.skipIf(process.platform === 'win32')(
  'a package for Linux on the other processor has that native module, and the given address of updates',
  () => {
    const env = { PATH: join(ROOT, 'node_modules/.bin'), COUNTERFOIL_UPDATES_URL: UPDATES };
    const { out, status } = make(['--platform=linux', `--arch=${OTHER}`], env);
    expect(status).toBe(0);
    const natives = listNatives(out);
    expect(natives.map((path) => basename(path))).toEqual([`linux-${OTHER}.node`]);
    const [updates = ''] = globSync('*/resources/app-update.yml', { cwd: out });
    expect(readFileSync(join(out, updates), 'utf8')).toContain(`provider: generic\nurl: ${UPDATES}\n`);
  },
);

test.skipIf(spawnSync('dpkg-deb', ['--version']).status !== 0)(
  'no Debian package is begun for the other processor, because the service’s Node would be this machine’s',
  () => {
    const { out, status, said } = make(['--platform=linux', `--arch=${OTHER}`]);
    expect([status, existsSync(out)]).toEqual([1, false]);
    expect(said).toBe(
      `The service's .deb for linux-${OTHER} needs a Node for linux-${OTHER}; the one in node_modules/node/bin/node is for ` +
        `linux-${process.arch}. Build on linux-${OTHER}.\n`,
    );
  },
);

test.each([
  ['--platform=beos', '--platform is beos; give linux, win32 or darwin.\n'],
  ['--arch=ia32', '--arch is ia32; give x64 or arm64.\n'],
])('%s is refused', (argument, message) => {
  expect(make([argument])).toMatchObject({ status: 1, said: message });
});
