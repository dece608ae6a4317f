// The previous version, stored so that going back needs no network: the installer on Windows, the AppImage on Linux, the
// application on macOS.

import { existsSync } from 'node:fs';
import { access, chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface PreviousVersionParts {
  readonly platform: NodeJS.Platform;
  /** The running program. */
  readonly executable: string;
  /** What to store: the AppImage, or the application on macOS. */
  readonly program: string;
  /** The path where the Windows installer keeps a copy of itself. */
  readonly installer: string;
  /** The folder for the stored version. */
  readonly folder: string;
  /** Starts a program that keeps running after this one has ended. */
  readonly startDetached: (program: string, args: readonly string[]) => Promise<void>;
  /** Restarts this program after its exit. */
  readonly relaunch: (program: string) => void;
}

export interface PreviousVersion {
  /**
   * Stores the running program as this version. Resolves to the argument for `goBack`. Resolves to undefined if another Windows
   * account installed the program, because only the other account has the installer.
   */
  keep(version: string): Promise<string | undefined>;
  /** Deletes other stored versions. */
  forgetOthers(version: string): Promise<void>;
  /** Rejects if the stored version no longer exists. */
  assertKept(kept: string): Promise<void>;
  /** Replaces the running version with the stored one. The caller must then exit. */
  goBack(kept: string): Promise<void>;
}

export function openPreviousVersion(parts: PreviousVersionParts): PreviousVersion {
  const { platform, executable, program, installer, folder, startDetached, relaunch } = parts;
  const source = platform === 'win32' ? installer : program;

  return {
    async keep(version) {
      if (platform === 'win32' && !existsSync(source)) return undefined;
      const kept = join(folder, version, basename(source));
      await rm(dirname(kept), { recursive: true, force: true });
      await mkdir(dirname(kept), { recursive: true });
      await cp(source, kept, { recursive: true, verbatimSymlinks: true });
      return kept;
    },
    async forgetOthers(version) {
      for (const name of await readdir(folder))
        if (name !== version) await rm(join(folder, name), { recursive: true, force: true });
    },
    assertKept: (kept) => access(kept),
    async goBack(kept) {
      if (platform === 'win32') return startDetached(kept, ['--updated', '/S', '--force-run']);
      const [fresh, old] = [`${source}.new`, `${source}.old`];
      await rm(fresh, { recursive: true, force: true });
      await rm(old, { recursive: true, force: true });
      await cp(kept, fresh, { recursive: true, verbatimSymlinks: true });
      if (platform !== 'darwin') await chmod(fresh, 0o755);
      // the old folder is moved away first, because a folder cannot be renamed to an existing one
      else await rename(source, old);
      await rename(fresh, source).catch(async (error: unknown) => {
        if (platform === 'darwin') await rename(old, source);
        throw error;
      });
      // if this fails, the next call of `keep` deletes the folder
      await rm(old, { recursive: true, force: true }).catch(() => {});
      relaunch(platform === 'darwin' ? executable : source);
    },
  };
}
