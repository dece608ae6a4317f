// The app's window when the console cannot load or its page crashes. hardening.test.ts tests what the page may do.

import type { BrowserWindow as RealWindow } from 'electron';
import { describe, expect, test } from 'vitest';

import { failurePage } from '../../electron/failure-page.ts';
import { openWindow } from '../../electron/window.ts';
import { wordsOf } from '../../electron/words.ts';
import { START_FAULTS } from '../../server/contract/desktop.ts';
import { waitUntil } from '../support/wait-until.ts';
import { BrowserWindow, calls } from './electron.ts';

/** Opens a window. Each load uses the next of the one-time links; undefined means that the link could not be made. */
function open(...links: (string | undefined)[]) {
  const made: BrowserWindow[] = [];
  const loaded: string[] = [];
  const acts: string[] = [];
  const timers: { readonly ms: number; readonly act: () => void }[] = [];
  const state = { now: 1e6, isQuitting: false };
  const window = openWindow({
    create(options) {
      const each = Object.assign(new BrowserWindow(options), {
        loadURL: (url: string) => Promise.resolve(void loaded.push(url)),
      });
      made.push(each);
      return each as unknown as RealWindow;
    },
    isSignedIn: () => Promise.resolve(true),
    preload: 'preload.cjs',
    icon: 'icon.png',
    createLink() {
      const link = links.shift();
      return link === undefined ? Promise.reject(new Error('There is no link.')) : Promise.resolve(link);
    },
    isQuitting: () => state.isQuitting,
    onContextMenu() {},
    onHide() {},
    onFailureAct: (act) => void acts.push(act),
    onSessionEnd() {},
    after: (ms, act) => (timers.push({ ms, act }), () => void timers.pop()),
    now: () => state.now,
    onFault() {},
  });
  return { window, made, loaded, links, acts, timers, state };
}

const LINK = 'http://127.0.0.1:1/enter';

test('opening the window again after a failed load shows the console in the same window', async () => {
  const { window, made, loaded } = open(undefined, LINK);
  await expect(window.show()).rejects.toThrow('There is no link.');
  await window.show();
  expect(loaded).toEqual([LINK]);
  expect(made).toHaveLength(1);
});

test('opening a window that has loaded the console, or is loading it, shows it without a reload', async () => {
  const { window, made, loaded } = open(LINK, LINK);
  await Promise.all([window.show(), window.show()]);
  await window.show();
  expect(loaded).toEqual([LINK]);
  expect(made).toHaveLength(1);
});

test('a console that failed to load is loaded when the window is opened', async () => {
  const { window, loaded } = open(LINK, undefined, `${LINK}-again`);
  await window.show();
  await expect(window.signInAgain()).rejects.toThrow('There is no link.');
  await window.show();
  expect(loaded).toEqual([LINK, `${LINK}-again`]);
});

test('each crash reloads the page after a longer pause, and two quiet minutes reset the pause', async () => {
  const { window, made, loaded, timers, state } = open(...Array.from({ length: 9 }, () => LINK));
  await window.show();
  const crash = async (afterMs: number): Promise<number | undefined> => {
    const count = loaded.length;
    state.now += afterMs;
    made[0]!.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
    const timer = timers.pop();
    timer?.act();
    await waitUntil(() => loaded.length === count + 1);
    return timer?.ms;
  };
  const pauses: (number | undefined)[] = [];
  for (const afterMs of [0, 1000, 1000, 1000, 1000, 1000, 1000]) pauses.push(await crash(afterMs));
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]);
  expect(await crash(3 * 60_000)).toBe(1000);
  expect(made).toHaveLength(1);
});

test('opening the window before a crashed page is reloaded loads the page once', async () => {
  const { window, made, loaded, timers, links } = open(LINK, `${LINK}-again`, `${LINK}-twice`);
  await window.show();
  made[0]!.webContents.emit('render-process-gone', {}, { reason: 'oom' });
  await window.show();
  timers.pop()?.act();
  expect(links).toEqual([`${LINK}-twice`]); // the second call of `show` has already used the second link
  expect(loaded).toEqual([LINK, `${LINK}-again`]);
});

test.each([
  ['ends in order', 'clean-exit', false],
  ['crashes while the app quits', 'crashed', true],
])('a page that %s is not reloaded', async (_, reason, isQuitting) => {
  const { window, made, timers, state } = open(LINK);
  await window.show();
  state.isQuitting = isQuitting;
  made[0]!.webContents.emit('render-process-gone', {}, { reason });
  expect(timers).toEqual([]);
});

test('a page that does not respond is ended, unless it responds in time', async () => {
  const { window, made, timers } = open(LINK);
  await window.show();
  const ended = (): number => calls.filter(([name]) => name === 'forcefullyCrashRenderer').length;
  const before = ended();
  made[0]!.emit('unresponsive');
  made[0]!.emit('responsive');
  expect(timers).toEqual([]);
  made[0]!.emit('unresponsive');
  timers.pop()?.act();
  expect(ended() - before).toBe(1);
});

test('a prepared window stays hidden until the user opens it, even if the gateway restarts', async () => {
  const { window, made, loaded } = open(LINK);
  window.prepare();
  await window.signInAgain();
  made[0]!.emit('ready-to-show');
  expect([made[0]!.isVisible(), loaded]).toEqual([false, []]);
  await window.show();
  expect([made[0]!.isVisible(), loaded, made.length]).toEqual([true, [LINK], 1]);
});

test('a screen opens at once with a session, otherwise through the link', async () => {
  const { window, loaded } = open(`${LINK}?code=x`);
  await window.show('/days/2026-11-19?journal=1');
  await window.show('/upstream?journal=1');
  expect(loaded).toEqual([
    `${LINK}?code=x&to=%2Fdays%2F2026-11-19%3Fjournal%3D1`,
    'http://127.0.0.1:1/upstream?journal=1',
  ]);
});

test('a page that could not be reloaded after a crash is retried until it loads', async () => {
  const { window, made, loaded, timers } = open(LINK, undefined, undefined, `${LINK}-again`);
  await window.show();
  made[0]!.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
  for (let i = 0; i < 3; i++) {
    timers.pop()?.act();
    await waitUntil(() => timers.length > 0 || loaded.length === 2);
  }
  expect(loaded).toEqual([LINK, `${LINK}-again`]);
  expect(timers).toEqual([]);
});

test('a link whose console failed to load is replaced by a new one, unless another page took its place', async () => {
  const { window, made, loaded, timers } = open(LINK, `${LINK}-again`);
  await window.show();
  const fail = (code: number, isMainFrame: boolean): unknown =>
    made[0]!.webContents.emit('did-fail-load', {}, code, '', '', isMainFrame);
  const [ABORTED, NETWORK_CHANGED] = [-3, -21];
  fail(ABORTED, true);
  fail(NETWORK_CHANGED, false);
  await Promise.resolve();
  expect(timers).toEqual([]);
  fail(NETWORK_CHANGED, true);
  await waitUntil(() => timers.length === 1);
  timers.pop()?.act();
  await waitUntil(() => loaded.length === 2);
  expect(loaded).toEqual([LINK, `${LINK}-again`]);
});

describe('the failure page', () => {
  const FAILURE = { fault: 'port_used', message: 'Port 7410 is <used>.', since: 0, triedAt: undefined } as const;
  const PAGE = failurePage(FAILURE, 0, wordsOf('en'), 'en-GB');
  const press = (window: BrowserWindow | undefined, url: string): boolean => {
    let isPrevented = false;
    window?.webContents.emit('will-navigate', { url, preventDefault: () => (isPrevented = true) });
    return !isPrevented;
  };

  test('is shown, can be left only by its buttons, and is replaced by the console', async () => {
    const { window, made, loaded, acts } = open(LINK);
    await window.showFailure(PAGE, true);
    expect(made[0]?.isVisible()).toBe(true);
    for (const url of ['counterfoil:try-again?', 'counterfoil:quit', 'counterfoil:else', 'https://example.com/'])
      expect(press(made[0], url)).toBe(false);
    expect(acts).toEqual(['try-again', 'quit']);
    expect(window.isOwn(made[0]?.webContents as never, PAGE)).toBe(false);
    await window.signInAgain();
    expect(loaded).toEqual([PAGE, LINK]);
    press(made[0], 'counterfoil:quit');
    expect(acts).toHaveLength(2); // still two: a page of the console cannot press these buttons
  });

  test('is restored after a back button, and cannot be reached by one', async () => {
    const { window, made, loaded } = open(LINK, `${LINK}-again`);
    const navigate = (url: string): unknown => made[0]?.webContents.emit('did-navigate', {}, url);
    await window.showFailure(PAGE, true);
    navigate(PAGE);
    navigate('http://127.0.0.1:1/');
    made[0]?.webContents.emit('did-fail-load', {}, -102, '', '', true);
    expect(loaded).toEqual([PAGE, PAGE, PAGE]);
    await window.signInAgain();
    navigate('http://127.0.0.1:1/days');
    expect(loaded.slice(3)).toEqual([LINK]);
    navigate(PAGE);
    await waitUntil(() => loaded.length === 5);
    expect(loaded[4]).toBe(`${LINK}-again`);
  });

  test('of a later attempt does not show a closed window', async () => {
    const { window, made } = open();
    await window.showFailure(PAGE, true);
    made[0]?.emit('close', { preventDefault() {} });
    await window.showFailure(PAGE, false);
    expect(made[0]?.isVisible()).toBe(false);
  });

  test('gives cause, time, safety and remedy in every language, without scripts', () => {
    for (const locale of ['en-GB', 'nl-NL', 'de-DE'])
      for (const fault of START_FAULTS) {
        const words = wordsOf(locale);
        const page = failurePage({ ...FAILURE, fault }, 0, words, locale);
        const html = Buffer.from(page.slice(page.indexOf(',') + 1), 'base64').toString();
        const plain = html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
        for (const part of [words.faults[fault].title, words.faults[fault].todo, words.tryAgain])
          expect(plain).toContain(part);
        const isDoubtful = ['data_damaged', 'data_foreign', 'data_unwritable', 'other'].includes(fault);
        expect(plain).toContain(isDoubtful ? words.dataUntouched : words.salesSafe);
        expect(plain).not.toContain(isDoubtful ? words.salesSafe : words.dataUntouched);
        expect(html).toContain('&#60;used&#62;');
        expect(html).toContain("default-src 'none'");
        expect(html).not.toMatch(/<script|\son\w+=|https?:/);
      }
  });
});
