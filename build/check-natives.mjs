// Checks native modules before the packager makes an installer. With a module of another system, the app would install but never
// start, so the build fails here.

import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { readBinaryTarget } from './read-binary.mjs';

/** The name of each processor, by the number that the packager uses for it. @type {Record<number, string>} */
const ARCHS = { 1: 'x64', 3: 'arm64', 4: 'universal' };

/** @typedef {{ electronPlatformName: string, arch: number, appOutDir: string, packager: { getResourcesDir(folder: string): string } }} PackContext */

/** @param {PackContext} context */
export default function checkNatives({ electronPlatformName, arch, appOutDir, packager }) {
  const fault = findNativeFault(
    packager.getResourcesDir(appOutDir),
    electronPlatformName,
    ARCHS[arch] ?? `processor ${arch}`,
  );
  // The error has no stack, because the packager would print the stack and hide the message.
  if (fault !== undefined) throw Object.assign(new Error(fault), { stack: '' });
}

/**
 * Returns a message about native modules that are missing from a folder or built for another target. Undefined if all are
 * right.
 * @type {(folder: string, platform: string, arch: string) => string | undefined}
 */
export function findNativeFault(folder, platform, arch) {
  // The macOS app is merged from one build per processor. The merge drops a native file that only one build has. So each build
  // contains the modules of both processors.
  const needed = platform === 'darwin' ? ['darwin-arm64', 'darwin-x64'] : [`${platform}-${arch}`];
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.node'));
  const found = paths.map((path) => ({
    name: basename(path, '.node'),
    target: readBinaryTarget(join(folder, path)) ?? 'an unknown system',
  }));
  const isRight =
    found.every(({ name, target }) => name === target && needed.includes(name)) &&
    needed.every((name) => found.some((one) => one.name === name));
  if (isRight) return undefined;
  const has = found.map(({ name, target }) => `${name}.node for ${target}`).toSorted();
  return (
    `The package for ${platform}-${arch} has the wrong native modules. It needs ${needed.join(' and ')}; ` +
    `it has ${has.join(', ') || 'none'}. Check "files" in build/electron-builder.json, or build on ${platform}-${arch}.`
  );
}
