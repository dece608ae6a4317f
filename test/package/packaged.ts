// Where the package of this system lies, and whether it is a real one.

import { globSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
const find = (patterns: readonly string[]): string => {
  const [path] = globSync(patterns, { cwd: ROOT });
  return path === undefined ? '' : join(ROOT, path);
};

/** Its program; empty where nothing is packaged. */
export const program = find([
  'release/*-unpacked/{counterfoil-desktop,Counterfoil.exe}',
  'release/mac*/*.app/Contents/MacOS/Counterfoil',
]);

/** Its folder of files; empty where nothing is packaged. */
export const resources = find(['release/*-unpacked/resources', 'release/mac*/*.app/Contents/Resources']);

/** Whether a stand-in was packaged instead of Electron, which does not run without its data of languages. */
export const isStandIn = find(['release/{*-unpacked,mac*/*.app}/**/icudtl.dat']) === '';
