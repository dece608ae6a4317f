// The browser of tests and benchmarks: one of Debian's, or the one that COUNTERFOIL_CHROMIUM names.

import { existsSync } from 'node:fs';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Draws the same without a window to draw it in, for three quarters of the processor's time. */
const SHELL = '/usr/bin/chromium-headless-shell';

/** The browser that people use: what is measured is measured in it. Undefined where there is none. */
export function findChromium(): string | undefined {
  return process.env['COUNTERFOIL_CHROMIUM'] ?? BROWSERS.find((path) => existsSync(path));
}

/** The least that shows a page. Undefined where there is nothing. */
export function findHeadlessChromium(): string | undefined {
  const own = process.env['COUNTERFOIL_CHROMIUM'];
  return own === undefined && existsSync(SHELL) ? SHELL : findChromium();
}

export const HOW_TO_GET_CHROMIUM = 'apt install chromium, or COUNTERFOIL_CHROMIUM';

const QUIET = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const ALONE = ['--disable-component-update', '--disable-sync', '--no-sandbox'];
export const CHROMIUM_FLAGS: readonly string[] = [...QUIET, ...ALONE];
