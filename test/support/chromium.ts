// The browser of tests and benchmarks: a browser from Debian's packages, or the browser that COUNTERFOIL_CHROMIUM names.

import { existsSync } from 'node:fs';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Renders like the full browser, but opens no window and needs a quarter less CPU. */
const SHELL = '/usr/bin/chromium-headless-shell';

/** The full browser, for measurements. Undefined if there is none. */
export function findChromium(): string | undefined {
  return process.env['COUNTERFOIL_CHROMIUM'] ?? BROWSERS.find((path) => existsSync(path));
}

/** The cheapest browser that renders a page. Undefined if there is none. */
export function findHeadlessChromium(): string | undefined {
  const own = process.env['COUNTERFOIL_CHROMIUM'];
  return own === undefined && existsSync(SHELL) ? SHELL : findChromium();
}

export const HOW_TO_GET_CHROMIUM = 'apt install chromium, or COUNTERFOIL_CHROMIUM';

const QUIET = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const ALONE = ['--disable-component-update', '--disable-sync', '--no-sandbox'];
export const CHROMIUM_FLAGS: readonly string[] = [...QUIET, ...ALONE];
