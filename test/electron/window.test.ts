// The app's window when the console cannot come into it. What the window may and may not do is in hardening.test.ts.

import type { BrowserWindow as RealWindow } from 'electron';
import { expect, test } from 'vitest';

import { openWindow } from '../../electron/window.ts';
import { BrowserWindow } from './electron.ts';

/** A window whose links are `links`, one after the other; undefined is one that is not to be had. */
function open(...links: (string | undefined)[]) {
  const made: BrowserWindow[] = [];
  const loaded: string[] = [];
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
    isQuitting: () => false,
    onSessionEnd() {},
  });
  return { window, made, loaded };
}

const LINK = 'http://127.0.0.1:1/enter';

test('whoever opens it again after the console could not come in gets the console, in the same window', async () => {
  const { window, made, loaded } = open(undefined, LINK);
  await expect(window.show()).rejects.toThrow('There is no link.');
  await window.show();
  expect(loaded).toEqual([LINK]);
  expect(made).toHaveLength(1);
});

test('opened again while the console is in it, or is coming, it is shown and loads nothing', async () => {
  const { window, made, loaded } = open(LINK, LINK);
  await Promise.all([window.show(), window.show()]);
  await window.show();
  expect(loaded).toEqual([LINK]);
  expect(made).toHaveLength(1);
});

test('a console that could not come in again does when it is opened', async () => {
  const { window, loaded } = open(LINK, undefined, `${LINK}-again`);
  await window.show();
  await expect(window.enterAgain()).rejects.toThrow('There is no link.');
  await window.show();
  expect(loaded).toEqual([LINK, `${LINK}-again`]);
});
