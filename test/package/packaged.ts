// Finds the package for this system, and tells whether it contains the real Electron.

import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
const find = (patterns: readonly string[]): string => {
  const [path] = globSync(patterns, { cwd: ROOT });
  return path === undefined ? '' : join(ROOT, path);
};

/** The packaged program; empty if nothing is packaged. */
export const program = find([
  'release/*-unpacked/{counterfoil-desktop,Counterfoil.exe}',
  'release/mac*/*.app/Contents/MacOS/Counterfoil',
]);

/** The package's folder of resources; empty if nothing is packaged. */
export const resources = find(['release/*-unpacked/resources', 'release/mac*/*.app/Contents/Resources']);

/** True if the package has a stand-in for Electron, which lacks the language data of the real Electron. */
export const isStandIn = find(['release/{*-unpacked,mac*/*.app}/**/icudtl.dat']) === '';
