// Finds Electron's program and says whether a window can open here. Importing Electron's package would download it, so this
// module only looks for its files. Plain JavaScript, because an older Node must be able to parse it.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the npm package `electron`, which downloads the program at its first use. */
export const ELECTRON_PACKAGE = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules/electron');

/**
 * @typedef {{ kind: 'found', path: string }} Found
 * @typedef {{ kind: 'not downloaded' | 'unusable', reason: string }} NotFound a download helps only if the kind is `not
 * downloaded`
 */

/** Whether this machine has a screen for a window. Windows and macOS always count as having one. */
export function hasScreen(env = process.env) {
  return process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

/** The reason why no window can open here, whether Electron is present or not. Undefined if a window can open. */
export function whyHeadless(env = process.env) {
  if (!['', '0', 'false'].includes(env.COUNTERFOIL_HEADLESS ?? '')) return 'COUNTERFOIL_HEADLESS is set';
  if (!hasScreen(env)) return 'there is no screen';
  if (process.platform === 'linux' && process.getuid?.() === 0)
    return 'Electron does not run as root; use a checkout of another user';
  return undefined;
}

/**
 * Finds Electron's program: in the folder that ELECTRON_OVERRIDE_DIST_PATH names, or in Electron's package once it has been
 * unpacked completely.
 * @returns {Found | NotFound}
 */
export function findElectron(folder = ELECTRON_PACKAGE, env = process.env) {
  const name = readText(join(folder, 'path.txt'));
  const override = env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override) {
    const path = join(override, name ?? 'electron');
    if (existsSync(path)) return { kind: 'found', path };
    return { kind: 'unusable', reason: `ELECTRON_OVERRIDE_DIST_PATH is ${override}, which contains no Electron` };
  }
  const version = electronVersion(folder);
  if (version === undefined) return { kind: 'unusable', reason: 'Electron’s package is missing; run `npm ci`' };
  // Electron's installer writes path.txt last, so the file shows that everything is unpacked.
  const isComplete =
    name === programName() && readText(join(folder, 'dist/version'))?.trim().replace(/^v/, '') === version;
  const path = join(folder, 'dist', programName());
  if (isComplete && existsSync(path)) return { kind: 'found', path };
  return { kind: 'not downloaded', reason: 'Electron is not downloaded; `npm start` on a desktop downloads it' };
}

/** The version of Electron's package; undefined if `npm ci` has not installed the package. */
export function electronVersion(folder = ELECTRON_PACKAGE) {
  const text = readText(join(folder, 'package.json'));
  return text === undefined ? undefined : /** @type {{ version: string }} */ (JSON.parse(text)).version;
}

/**
 * Whether Linux denies Electron a sandbox. A sandbox needs user namespaces, or else the helper program `chrome-sandbox`.
 * AppArmor on Ubuntu 24.04 turns user namespaces off. The helper is in the folder of Electron's program, and works only if it
 * belongs to root and has the mode 4755.
 * @param {string} path Electron's program
 */
export function isSandboxBlocked(path, sysctls = '/proc/sys') {
  if (process.platform !== 'linux') return false;
  const helper = statSync(join(dirname(path), 'chrome-sandbox'), { throwIfNoEntry: false });
  if (helper?.uid === 0 && (helper.mode & 0o4001) === 0o4001) return false;
  if (readText(join(sysctls, 'kernel/apparmor_restrict_unprivileged_userns'))?.trim() === '1') return true;
  const { error, status } = spawnSync('unshare', ['--user', '--map-root-user', 'true'], { stdio: 'ignore' });
  return error === undefined && status !== 0;
}

/** The program's path inside a build of Electron, as Electron's installer defines it. */
function programName() {
  if (process.platform === 'win32') return 'electron.exe';
  return process.platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron';
}

/** @param {string} path */
function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
