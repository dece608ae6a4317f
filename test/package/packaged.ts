// The location of the package for this system, and whether it contains the real Electron.

import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
const find = (patterns: readonly string[]): string => {
  const [path] = globSync(patterns, { cwd: ROOT });
  return path === undefined ? '' : join(ROOT, path);
};

/** Its program; empty without a package. */
export const program = find([
  'release/*-unpacked/{counterfoil-desktop,Counterfoil.exe}',
  'release/mac*/*.app/Contents/MacOS/Counterfoil',
]);

/** Its folder of files; empty without a package. */
export const resources = find(['release/*-unpacked/resources', 'release/mac*/*.app/Contents/Resources']);

/** Whether the package has a stand-in for Electron. The real one does not run without its language files. */
export const isStandIn = find(['release/{*-unpacked,mac*/*.app}/**/icudtl.dat']) === '';
