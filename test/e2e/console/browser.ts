// Opens a real browser for tests of the console. Without a browser the tests are skipped and say so.

import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright';
import { expect, onTestFinished } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { SESSION_HASH } from '../../../server/contract/setup.ts';
import { CHROMIUM_FLAGS, findHeadlessChromium, HOW_TO_GET_CHROMIUM } from '../../support/chromium.ts';
import { type Pass, PASSWORD, passOf, signIn as beginSession } from '../../support/console.ts';
import { call } from '../../support/http-call.ts';

const executablePath = findHeadlessChromium();
/** The folder for screenshots of a run, for people to look at. */
export const SCREENSHOTS = join(import.meta.dirname, '../../../test-results/screens');

export const hasBrowser = executablePath !== undefined;
if (!hasBrowser) console.warn(`Not run: tests in a browser need Chromium (${HOW_TO_GET_CHROMIUM}).`);

/** The browser of all test files that share this process. It ends with the process. */
let browser: Promise<Browser> | undefined;
function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('there is no Chromium');
  return (browser ??= chromium
    .launch({ executablePath, args: [...CHROMIUM_FLAGS] })
    .then((opened) => opened.once('disconnected', () => (browser = undefined))));
}

export const LOOKS = {
  desktop: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'phone, dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  /** Zoomed to 200 %, with reduced motion. */
  enlarged: {
    viewport: { width: 640, height: 512 },
    colorScheme: 'light',
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
  },
} as const;
export type Look = keyof typeof LOOKS;

/** Opens a page without cookies. A script error, or a violation of the page's security policy, fails the test. */
export async function openPage(look: Look = 'desktop', more: BrowserContextOptions = {}): Promise<Page> {
  const context = await (
    await openBrowser()
  ).newContext({ ...LOOKS[look], locale: 'en-GB', ignoreHTTPSErrors: true, ...more });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) faults.push(message.text());
  });
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await page.screenshot({ path: join(SCREENSHOTS, `failed ${task.name}.png`) });
    await context.close();
    expect(faults).toEqual([]);
  });
  return page;
}

/** Saves a screenshot of the page after its animations have finished. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: 'disabled' });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const AXE_COLOURS: axe.RunOptions = { resultTypes: ['violations'], runOnly: ['color-contrast'] };
const AXE_OPTIONS: axe.RunOptions = {
  resultTypes: ['violations'],
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'],
  rules: { 'label-content-name-mismatch': { enabled: true }, 'landmark-no-duplicate-banner': { enabled: true } },
};

/**
 * Saves a screenshot, and asserts that the accessibility checker axe finds no serious problem. A page that differs from a
 * checked page only in its colours needs only the rule for contrast.
 */
export async function assertLooksRight(page: Page, name: string, options: axe.RunOptions = AXE_OPTIONS): Promise<void> {
  await keepPicture(page, name);
  // Loaded once per page, because loading costs as much as a check. axe's own package for Playwright loads it each time.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const serious = await page.evaluate(async (given) => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, given);
    return violations
      .filter(
        ({ id, impact }) => impact === 'serious' || impact === 'critical' || id === 'landmark-no-duplicate-banner',
      )
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
  }, options);
  expect(serious).toEqual([]);
}

/** Opens the console by a one-time link. With a path, uses the link outside the browser, so that only this page loads. */
export async function enter(
  gateway: { readonly consoleUrl: string; createLink(): string },
  look: Look = 'desktop',
  path?: string,
): Promise<Page> {
  const page = await openPage(look);
  if (path !== undefined) return openSession(page, gateway, passOf(await call(gateway.createLink())), path);
  await page.goto(gateway.createLink());
  await page.getByRole('navigation').waitFor();
  return page;
}

/** Opens a page of a user who signs in with the tests' password. */
export async function enterAs(
  gateway: { readonly consoleUrl: string },
  name: string,
  path = '/',
  ...opening: Parameters<typeof openPage>
): Promise<Page> {
  const page = await openPage(...opening);
  const { pass } = await beginSession(gateway, name);
  return openSession(page, gateway, pass, path);
}

async function openSession(
  page: Page,
  { consoleUrl }: { readonly consoleUrl: string },
  pass: Pass | undefined,
  path: string,
): Promise<Page> {
  if (pass === undefined) throw new Error('nobody is signed in');
  const [cookieName = '', value = ''] = pass.cookie.split(/[=;]/);
  const domain = new URL(consoleUrl).hostname;
  await page.context().addCookies([{ name: cookieName, value, domain, path: `/s/${pass.key}` }]);
  await page.goto(`${consoleUrl}${path}${SESSION_HASH}${pass.key}`);
  await page.getByRole('navigation').waitFor();
  return page;
}

/** Fills in the name and password and submits them. */
export async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: en.signIn.name, exact: true }).fill(name);
  await page.getByRole('textbox', { name: en.signIn.password }).fill(password);
  await button(page, en.signIn.signIn).click();
}

/** A text of the catalogue with its placeholders filled in. */
export function say(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (gap, name: string) => String(values[name] ?? gap));
}

/** A pattern for a text of the catalogue. A placeholder without a value matches anything. */
export function like(text: string, values: Readonly<Record<string, string | number>> = {}): RegExp {
  const parts = say(text, values).split(/\{\{\w+\}\}/);
  return new RegExp(parts.map((part) => RegExp.escape(part)).join('.+'));
}

/** The button whose label is a text of the catalogue. */
export function button(where: Page | Locator, name: string): Locator {
  return where.getByRole('button', { name, exact: true });
}

/** The screens that the navigation rail links to. */
export const SCREENS = [
  'today',
  'records',
  'days',
  'trends',
  'refused',
  'upstream',
  'tills',
  'activity',
  'settings',
] as const;

/**
 * Opens a screen by the navigation rail. On a phone, the last button of the rail lists the screens that have no button there.
 */
export async function goTo(page: Page, name: (typeof SCREENS)[number]): Promise<void> {
  const rail = page.getByRole('navigation');
  const link = rail.getByRole('link', { name: en.app[name] });
  await rail.waitFor();
  if (await link.isVisible()) return link.click();
  // a name also matches a part of a label, because labels may end with a count
  await rail.getByRole('button', { name: en.app.more }).click();
  await page.getByRole('menuitem', { name: en.app[name] }).click();
}
