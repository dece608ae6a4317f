// The version before this one, kept so that one step back needs no network: the installer on Windows, which keeps its own last one;
// the AppImage on Linux; the application on macOS.

import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface PreviousVersionParts {
  readonly platform: NodeJS.Platform;
  /** The program that runs. */
  readonly executable: string;
  /** The AppImage that it runs from, where it does. */
  readonly appImage: string | undefined;
  /** Where the installer of Windows keeps itself. */
  readonly installer: string;
  /** Where to keep it. */
  readonly folder: string;
  /** Starts a program that outlives this one. */
  readonly startDetached: (program: string, args: readonly string[]) => Promise<void>;
  /** Has this program started again once it has ended. */
  readonly relaunch: (program: string) => void;
}

export interface PreviousVersion {
  /** Keeps what runs now, as this version, and nothing older. Resolves to what `goBack` takes. */
  keep(version: string): Promise<string>;
  /** Puts it in the place of what runs now; this program is to end then. */
  goBack(kept: string): Promise<void>;
}

export function openPreviousVersion(parts: PreviousVersionParts): PreviousVersion {
  const { platform, executable, appImage = executable, installer, folder, startDetached, relaunch } = parts;
  /** What is to be kept. A program of macOS is three folders into its application. */
  const source =
    platform === 'win32' ? installer : platform === 'darwin' ? dirname(dirname(dirname(executable))) : appImage;

  return {
    async keep(version) {
      const kept = join(folder, version, basename(source));
      await rm(dirname(kept), { recursive: true, force: true });
      await mkdir(dirname(kept), { recursive: true });
      await cp(source, kept, { recursive: true, verbatimSymlinks: true });
      for (const name of await readdir(folder))
        if (name !== version) await rm(join(folder, name), { recursive: true, force: true });
      return kept;
    },
    async goBack(kept) {
      if (platform === 'win32') return startDetached(kept, ['--updated', '/S', '--force-run']);
      const [fresh, old] = [`${source}.new`, `${source}.old`];
      await rm(fresh, { recursive: true, force: true });
      await rm(old, { recursive: true, force: true });
      await cp(kept, fresh, { recursive: true, verbatimSymlinks: true });
      if (platform !== 'darwin') await chmod(fresh, 0o755);
      else await rename(source, old); // a folder takes the place of none that is there
      await rename(fresh, source).catch(async (error: unknown) => {
        if (platform === 'darwin') await rename(old, source);
        throw error;
      });
      await rm(old, { recursive: true, force: true });
      relaunch(platform === 'darwin' ? executable : source);
    },
  };
}
