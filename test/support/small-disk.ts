// A disk that can really be full: a small file system in memory, which only root can mount.

import { execFileSync } from 'node:child_process';

import { onTestFinished } from 'vitest';

import { temporaryFolder } from './temp-store.ts';

/** Mounts twelve megabytes until the test ends; undefined where that is not to be had. */
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

/** Makes a disk that was mounted here one that nobody can write to; or one again that everybody can. */
export function remount(folder: string, how: 'ro' | 'rw'): void {
  execFileSync('mount', ['-o', `remount,${how}`, folder]);
}
