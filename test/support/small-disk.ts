// A small file system in memory that a test can fill. Only root can mount it.

import { execFileSync } from 'node:child_process';

import { onTestFinished } from 'vitest';

import { temporaryFolder } from './temp-store.ts';

/** Mounts twelve megabytes until the test ends. Undefined if that is not possible. */
export function mountSmallDisk(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const folder = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

/** Makes a disk of this module read-only, or writable again. */
export function remount(folder: string, how: 'ro' | 'rw'): void {
  execFileSync('mount', ['-o', `remount,${how}`, folder]);
}
