// Where Electron's program is. Its file is looked for, because importing its package would download it.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The program that opens a window, or why there is none.
 * @returns {{ path: string, reason?: undefined } | { path?: undefined, reason: string }}
 */
export function findElectron() {
  const { ELECTRON_OVERRIDE_DIST_PATH: override, DISPLAY, WAYLAND_DISPLAY } = process.env;
  const own = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules/electron');
  const name = existsSync(join(own, 'path.txt')) ? readFileSync(join(own, 'path.txt'), 'utf8') : 'electron';
  const path = join(override ?? join(own, 'dist'), name);
  if (!existsSync(path)) return { reason: 'Electron is not here, and `npx install-electron` gets it' };
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return { reason: 'there is no screen' };
  return { path };
}
