// A real browser for tests of the console: Debian's Chromium, or the one that COUNTERFOIL_CHROMIUM names. Where there is none
// the tests say so and are skipped.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, chromium, type Page } from 'playwright';
import { expect, onTestFinished } from 'vitest';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env['COUNTERFOIL_CHROMIUM'] ?? CANDIDATES.find((path) => existsSync(path));
/** Where the pictures of a run are kept for a person to look at. */
const SCREENSHOTS = join(import.meta.dirname, '../../../test-results/screens');

export const hasBrowser = executablePath !== undefined;
if (!hasBrowser)
  console.warn('Not run: tests in a browser need Chromium (apt install chromium, or COUNTERFOIL_CHROMIUM).');

const QUIET = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const ALONE = ['--disable-component-update', '--disable-sync', '--no-sandbox'];

let browser: Promise<Browser> | undefined;
function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('there is no Chromium');
  return (browser ??= chromium.launch({ executablePath, args: [...QUIET, ...ALONE] }));
}

/** To be called after all tests of a file. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

export const LOOKS = {
  desktop: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  small: { viewport: { width: 1024, height: 640 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'phone, dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
} as const;
export type Look = keyof typeof LOOKS;

/** A page of its own, with nothing in its cookies. What a page throws, and what its policy refuses, fails the test. */
export async function openPage(look: Look = 'desktop', locale = 'en-GB'): Promise<Page> {
  const context = await (await openBrowser()).newContext({ ...LOOKS[look], locale });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(faults).toEqual([]);
  });
  return page;
}

/** Keeps a picture of the page and finds nothing serious in it with axe. */
export async function assertLooksRight(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'])
    .analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`)).toEqual([]);
}
