// Where build.ts puts what it builds.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export const BUILT = join(import.meta.dirname, '../../../test-results/disk');
export const SHOP = join(BUILT, 'shop.mjs');

/** The C files of this folder. */
export const LIBRARIES = ['recorder.c', 'slow.c'] as const;

/** The library that is built from a C file. LD_PRELOAD loads it into a process. */
export function libraryOf(source: (typeof LIBRARIES)[number]): string {
  return join(BUILT, `${source}.so`);
}

/** Whether this system can have a recorded disk. */
export function hasCompiler(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
