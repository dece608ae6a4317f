// The folder for the app's own files: browser profile, memory, log file, previous version. It is not Electron's default folder,
// because that holds the records on macOS, and Windows copies it between the user's machines.

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
 * Returns the folder. On Windows it stays on this machine. An earlier version may have left a folder among the roaming data.
 * That folder is moved once; if it cannot be moved, it is used where it is.
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
    return roaming; // the folder is in use, or on another disk
  }
}
