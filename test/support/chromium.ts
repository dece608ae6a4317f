// The browser of tests and benchmarks: Debian's Chromium, or the one that COUNTERFOIL_CHROMIUM names.

import { existsSync } from 'node:fs';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Undefined where there is none. */
export function findChromium(): string | undefined {
  return process.env['COUNTERFOIL_CHROMIUM'] ?? CANDIDATES.find((path) => existsSync(path));
}

export const HOW_TO_GET_CHROMIUM = 'apt install chromium, or COUNTERFOIL_CHROMIUM';

const QUIET = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const ALONE = ['--disable-component-update', '--disable-sync', '--no-sandbox'];
export const CHROMIUM_FLAGS: readonly string[] = [...QUIET, ...ALONE];
