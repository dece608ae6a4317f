// A small file system in memory that a test can fill. Only root can mount it.

import { execFileSync } from 'node:child_process';

import { onTestFinished } from 'vitest';

import { temporaryFolder } from './temp-store.ts';

/** Mounts a file system of twelve megabytes until the test ends. Returns undefined if this machine or user cannot mount it. */
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

/** Makes the mounted file system read-only, or writable again. */
export function remount(folder: string, how: 'ro' | 'rw'): void {
  execFileSync('mount', ['-o', `remount,${how}`, folder]);
}
