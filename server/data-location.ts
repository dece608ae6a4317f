// Where the data directory is: in the place that --data or COUNTERFOIL_DATA names, or else in the platform's usual place.

import { existsSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';

import { UsageError } from './errors.ts';
import { shellArgument } from './lib/shell-argument.ts';
import { PROGRAM } from './program.ts';

/** The folder of the log files in the data directory. */
export const LOG_FOLDER = 'logs';
/** The present file in that folder. */
export const LOG_FILE = 'counterfoil.log';

/** Returns the data directory: the value of the flag, or else COUNTERFOIL_DATA, or else the platform's default directory. */
export function dataDirectory(flag: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const given = flag ?? env['COUNTERFOIL_DATA'];
  if (given === '') throw new UsageError('--data or COUNTERFOIL_DATA is empty; give a directory.');
  return given ?? platformDirectory(env);
}

/** The default data directory of the platform. */
export function platformDirectory(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  switch (platform) {
    case 'win32': {
      const { local, roaming } = windowsDirectories(env);
      return existsSync(roaming) && !existsSync(local) ? roaming : local;
    }
    case 'darwin':
      return join(homedir(), 'Library', 'Application Support', 'Counterfoil');
    default:
      // An empty variable counts as unset (XDG Base Directory Specification).
      return join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'counterfoil');
  }
}

/**
 * `local` is the data directory of this version; `roaming` is the data directory of earlier versions. Windows copies a roaming
 * profile over the network, so data should not be in `roaming`.
 */
function windowsDirectories(env: NodeJS.ProcessEnv): { readonly local: string; readonly roaming: string } {
  const appData = join(homedir(), 'AppData');
  return {
    local: join(env['LOCALAPPDATA'] ?? join(appData, 'Local'), 'Counterfoil'),
    roaming: join(env['APPDATA'] ?? join(appData, 'Roaming'), 'Counterfoil'),
  };
}

/**
 * On Windows, moves the data directory once from the roaming to the local profile. A directory that is in use or on another
 * disk cannot be moved. The gateway then keeps using it in the roaming profile.
 */
export function moveRoamingData(env: NodeJS.ProcessEnv = process.env, platform = process.platform): void {
  if (platform !== 'win32') return;
  const { local, roaming } = windowsDirectories(env);
  if (existsSync(local) || !existsSync(roaming)) return;
  try {
    renameSync(roaming, local);
  } catch {
    // The move failed, so `platformDirectory` still returns the roaming directory.
  }
}

/**
 * A command to show to a person, with the `--data` option that it needs. `data` is the value of --data that the person gave.
 * Without this option, the command could act on the data of another gateway.
 */
export function shownCommand(data: string | undefined, words: string): string {
  return `${PROGRAM} ${words}${dataOption(dataDirectory(data))}`;
}

/**
 * The `--data` option to show with a command. Empty if the data are in the platform's default directory, and COUNTERFOIL_DATA does not
 * name another one.
 */
export function dataOption(dataDir: string, env: NodeJS.ProcessEnv = process.env): string {
  const path = resolvePath(dataDir);
  const isUsual = path === platformDirectory(env) && resolvePath(env['COUNTERFOIL_DATA'] ?? path) === path;
  return isUsual ? '' : ` --data ${shellArgument(path)}`;
}
