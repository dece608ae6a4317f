// Electron itself, for the tests that need it. It is looked for and never asked for: its own package would try to download it.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const OWN = join(import.meta.dirname, '../../node_modules/electron');

/** Why the desktop app cannot be shown on this machine; undefined where it can. */
export function whyNoElectron(): string | undefined {
  const { ELECTRON_OVERRIDE_DIST_PATH: override, DISPLAY, WAYLAND_DISPLAY } = process.env;
  const named = join(OWN, 'path.txt');
  const name = existsSync(named) ? readFileSync(named, 'utf8') : 'electron';
  if (!existsSync(join(override ?? join(OWN, 'dist'), name)))
    return 'Electron is not here, and `npx install-electron` gets it';
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY)
    return 'there is no screen, and `xvfb-run` makes one';
  return undefined;
}
