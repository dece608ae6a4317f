// The folder for the app's own files: browser profile, memory, log file, previous version. It is not Electron's default folder:
// on macOS that folder holds the records, and Windows copies that folder between the user's machines.

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'Counterfoil app';

export interface OwnFolderParts {
  readonly platform: NodeJS.Platform;
  /** Electron's folder for apps. Windows may copy it between the user's machines. */
  readonly appData: string;
  /** `%LOCALAPPDATA%` on Windows. */
  readonly localAppData: string | undefined;
}

/**
 * Returns the folder of the app's own files. On Windows, this folder stays on this machine. An earlier version may have used a
 * folder that Windows copies between machines. This function moves that folder once. If the move fails, it returns the old
 * folder.
 */
export function ownFolder({ platform, appData, localAppData }: OwnFolderParts): string {
  const roaming = join(appData, NAME);
  if (platform !== 'win32' || localAppData === undefined) return roaming;
  const local = join(localAppData, NAME);
  if (existsSync(local) || !existsSync(roaming)) return local;
  try {
    renameSync(roaming, local);
    return local;
  } catch {
    return roaming; // the old folder cannot be moved: it is in use, or on another disk
  }
}
