// A package contains exactly the native modules of its target, whatever machine builds it. The tests use the real modules of
// each system.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import checkNatives, { findNativeFault } from '../../build/check-natives.mjs';
import { readBinaryTarget } from '../../build/read-binary.mjs';
import { findNodeFault } from '../../build/service-deb.mjs';
import { temporaryFolder } from '../support/temp-store.ts';

const ROOT = join(import.meta.dirname, '../..');
const PREBUILDS = join(ROOT, 'node_modules/better-sqlite3/prebuilds');
const TARGETS = ['linux-x64', 'linux-arm64', 'win32-x64', 'win32-arm64', 'darwin-x64', 'darwin-arm64'];

/**
 * Makes a package folder with native modules. A plain `name` stands for the correct module. `[name, of]` stores the module of
 * target `of` under the name of target `name`.
 */
function pack(modules: readonly (string | readonly [name: string, of: string])[]): string {
  const folder = join(temporaryFolder(), 'app.asar.unpacked/prebuilds');
  mkdirSync(folder, { recursive: true });
  for (const each of modules) {
    const [name, of] = typeof each === 'string' ? [each, each] : each;
    copyFileSync(join(PREBUILDS, `${of}.node`), join(folder, `${name}.node`));
  }
  return join(folder, '../..');
}

describe('a package', () => {
  test.each(TARGETS.slice(0, 4))('for %s is right with its own module', (target) => {
    const [platform = '', arch = ''] = target.split('-');
    expect(findNativeFault(pack([target]), platform, arch)).toBeUndefined();
  });

  test.each(['x64', 'arm64', 'universal'])('for a Mac (%s) is right with the modules for both processors', (arch) => {
    expect(findNativeFault(pack(['darwin-x64', 'darwin-arm64']), 'darwin', arch)).toBeUndefined();
  });

  test.each([
    ['another processor’s module', ['linux-x64'], 'linux', 'arm64'],
    ['another system’s module', ['linux-arm64'], 'win32', 'arm64'],
    ['a second module', ['linux-x64', 'linux-arm64'], 'linux', 'x64'],
    ['the module for another C library', ['linuxmusl-x64'], 'linux', 'x64'],
    ['another module by the right name', [['win32-arm64', 'linux-x64'] as const], 'win32', 'arm64'],
    ['one of the two for Macs', ['darwin-arm64'], 'darwin', 'universal'],
    ['no module', [], 'linux', 'x64'],
  ])('is wrong with %s', (_, modules, platform, arch) => {
    expect(findNativeFault(pack(modules), platform, arch)).toContain(
      `The package for ${platform}-${arch} has the wrong native modules.`,
    );
  });

  test('fails the build with one message: the needed module, the packed modules and the remedy', () => {
    const folder = pack([['win32-arm64', 'linux-x64']]);
    const packager = { getResourcesDir: (out: string) => out };
    const context = { electronPlatformName: 'win32', arch: 3, appOutDir: folder, packager };
    expect(() => checkNatives(context)).toThrow(
      'The package for win32-arm64 has the wrong native modules. It needs win32-arm64; it has win32-arm64.node for linux-x64. ' +
        'Check "files" in build/electron-builder.json, or build on win32-arm64.',
    );
    expect(() => checkNatives({ ...context, arch: 1, appOutDir: pack(['win32-x64']) })).not.toThrow();
  });
});

describe('a header', () => {
  test.each(TARGETS)('identifies %s', (target) => {
    expect(readBinaryTarget(join(PREBUILDS, `${target}.node`))).toBe(target);
  });

  test('of any other file identifies nothing', () => {
    const file = join(temporaryFolder(), 'text');
    for (const content of ['', 'MZ', 'a text that is no program']) {
      writeFileSync(file, content);
      expect(readBinaryTarget(file)).toBeUndefined();
    }
  });
});

test.skipIf(process.platform !== 'linux')(
  'the service’s package needs a checkout whose Node matches the target',
  () => {
    expect(findNodeFault(process.arch)).toBeUndefined();
    const other = process.arch === 'x64' ? 'arm64' : 'x64';
    expect(findNodeFault(other)).toContain(`needs a Node for linux-${other}`);
  },
);
