/** A console window in a real browser, and its measurements. Each measurement starts its own Chromium. */
import { setTimeout as delay } from 'node:timers/promises';

import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';

import { CHROMIUM_FLAGS, findChromium, HOW_TO_GET_CHROMIUM } from '../support/chromium.ts';
import type { ConsoleSession } from './console-filters.ts';
import { readTreeCpuSeconds } from './machine.ts';
import type { Workspace } from './workspace.ts';

export const noChromium = `there is no Chromium (${HOW_TO_GET_CHROMIUM})`;

export type Window = {
  /** Opens a screen and waits until it has loaded. */
  open(screen: Screen): Promise<Page>;
  /** Processor seconds used by all browser processes so far. */
  readCpuSeconds(): number;
  close(): Promise<void>;
};

/** A screen of the console, and the selector of its first meaningful element. */
export type Screen = { name: string; path: string; meaningful: string };
export const today: Screen = { name: 'Today', path: '/', meaningful: 'main h2' };
export const records: Screen = { name: 'Records', path: '/records', meaningful: 'main [data-index="15"]' };

const size = { width: 1280, height: 800 };
const openSeconds = 30;

export type Chromium = { browser: Browser; pid: number; close(): Promise<void> };

/** Throws when no browser is installed. */
export async function startChromium(workspace: Workspace): Promise<Chromium> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(noChromium);
  const server = await chromium.launchServer({ executablePath, args: [...CHROMIUM_FLAGS], handleSIGINT: false });
  const child = server.process();
  const owned = workspace.own(child, 'SIGTERM');
  const browser = await chromium.connect(server.wsEndpoint());
  return {
    browser,
    pid: child.pid ?? 0,
    async close() {
      await browser.close();
      await server.close();
      await owned.stop();
    },
  };
}

/** A signed-in window with an empty cache. */
async function openContext({ browser }: Chromium, { origin, path, cookie }: ConsoleSession): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: size, locale: 'en-GB' });
  context.setDefaultTimeout(openSeconds * 1000);
  await context.addCookies([{ ...cookie, domain: new URL(origin).hostname, path }]);
  await context.addInitScript((key) => localStorage.setItem('counterfoil.session', key), path.slice('/s/'.length));
  return context;
}

export async function openWindow(running: Chromium, session: ConsoleSession): Promise<Window> {
  const context = await openContext(running, session);
  const page = await context.newPage();
  return {
    async open({ path, meaningful }) {
      await page.goto(session.origin + path);
      await page.locator(meaningful).first().waitFor();
      return page;
    },
    readCpuSeconds: () => readTreeCpuSeconds(running.pid),
    close: () => context.close(),
  };
}

/** Milliseconds from navigation to the frame that shows the first meaningful content. Nothing is cached. */
export async function measurePaint(running: Chromium, session: ConsoleSession, screen: Screen): Promise<number> {
  const context = await openContext(running, session);
  try {
    const page = await context.newPage();
    await page.addInitScript((selector) => {
      const look = (): void => {
        const text = document.querySelector(selector)?.textContent ?? '';
        if (text === '') requestAnimationFrame(look);
        else requestAnimationFrame((now) => Object.assign(globalThis, { paintedAt: now }));
      };
      requestAnimationFrame(look);
    }, screen.meaningful);
    await page.goto(session.origin + screen.path, { waitUntil: 'commit' });
    const painted = await page.waitForFunction(() => (globalThis as { paintedAt?: number }).paintedAt);
    return (await painted.jsonValue()) ?? Number.NaN;
  } finally {
    await context.close();
  }
}

export type Scrolling = { frames: number; blankFrames: number; longestFrameMs: number; rows: number; seconds: number };

/** The scrolling speed, at which more than 150 rows pass per second. */
const pixelsPerSecond = 6000;
const notchMs = 20;

/** Scrolls through Records for some seconds and checks every frame. */
export async function measureScrolling(window: Window, seconds: number): Promise<Scrolling> {
  const page = await window.open(records);
  await page.mouse.move(size.width / 2, size.height / 2);
  await page.evaluate(watchFrames);
  const startedAt = performance.now();
  let turned = 0;
  for (let now = startedAt; now < startedAt + seconds * 1000; now = performance.now()) {
    // the position depends on the time, so the steps are larger on a slow machine
    const due = Math.round(((now - startedAt) / 1000) * pixelsPerSecond);
    await page.mouse.wheel(0, due - turned);
    turned = due;
    await delay(Math.max(0, now + notchMs - performance.now()));
  }
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: Omit<Scrolling, 'seconds'> }).seen);
  return { ...seen, seconds };
}

/** Runs in the page and counts frames. A frame is blank if a part of the list shows no row with content. */
function watchFrames(): void {
  const seen = { frames: 0, blankFrames: 0, longestFrameMs: 0, rows: 0 };
  Object.assign(globalThis, { seen });
  let before = performance.now();
  const look = (now: number): void => {
    seen.frames += 1;
    seen.longestFrameMs = Math.max(seen.longestFrameMs, now - before);
    before = now;
    // This code runs before a frame is drawn. The message arrives when the frame has been drawn.
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      if (isBlank()) seen.blankFrames += 1;
      port1.close();
    });
    port1.start();
    port2.postMessage(undefined);
    requestAnimationFrame(look);
  };
  const isBlank = (): boolean => {
    const list = document.querySelector('[role=table]')?.getBoundingClientRect();
    if (list === undefined) return true;
    let [top, bottom] = [Infinity, -Infinity];
    for (const row of document.querySelectorAll<HTMLElement>('[data-index]')) {
      const box = row.getBoundingClientRect();
      top = Math.min(top, box.top);
      bottom = Math.max(bottom, box.bottom);
      seen.rows = Math.max(seen.rows, Number(row.dataset['index']) + 1);
    }
    const headHeight = 33; // including its border
    return top > list.top + headHeight || bottom < list.bottom - 1;
  };
  requestAnimationFrame(look);
}
