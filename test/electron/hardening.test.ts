// What keeps the page in the app's window from being more than a page; docs/security.md lists each with its test here.

import type { IpcMainInvokeEvent, Session } from 'electron';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { denyPermissions } from '../../electron/window.ts';
import { openApp, type StandInWindow } from './open-app.ts';

const SOON = { timeout: 15_000, interval: 20 };

let app: Awaited<ReturnType<typeof openApp>>;
let window: StandInWindow;
/** Of the console that is in the window. */
let origin: string;
let close = async (): Promise<void> => {};
beforeAll(async () => {
  app = await openApp({ whenDone: (end) => (close = end) });
  await vi.waitUntil(() => app.window().loaded.length === 1, SOON);
  window = app.window();
  ({ origin } = new URL(window.loaded[0]!));
});
afterAll(() => close());

test('the window has no Node, no webview, and a sandbox of its own', () => {
  expect(window.options.webPreferences).toEqual({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
    preload: 'preload.cjs',
  });
});

describe('the page', () => {
  /** Whether it gets there. */
  function go(event: string, url: string): boolean {
    let isPrevented = false;
    window.contents.emit(event, { url, preventDefault: () => (isPrevented = true) });
    return !isPrevented;
  }

  test('goes nowhere but within its own gateway', () => {
    for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
      expect(go(event, `${origin}/records`)).toBe(true);
      for (const url of [
        'https://example.com/',
        'file:///etc/passwd',
        'javascript:1',
        `${origin}.example.com/`,
        'about:blank',
      ])
        expect([event, url, go(event, url)]).toEqual([event, url, false]);
    }
  });

  test('opens no window and attaches no webview', () => {
    for (const url of ['https://example.com/', `${origin}/records`])
      expect(window.contents.openHandler?.({ url })).toEqual({ action: 'deny' });
    expect(go('will-attach-webview', 'https://example.com/')).toBe(false);
  });
});

test('no page gets a permission, and a device neither', () => {
  const handlers: Record<string, (...args: never[]) => unknown> = {};
  const keep =
    (name: string) =>
    (handler: unknown): void =>
      void (handlers[name] = handler as (...args: never[]) => unknown);
  denyPermissions({
    setPermissionRequestHandler: keep('request'),
    setPermissionCheckHandler: keep('check'),
    setDevicePermissionHandler: keep('device'),
  } as unknown as Session);
  const call = (name: string, ...args: unknown[]): unknown => handlers[name]?.(...(args as never[]));
  for (const permission of ['media', 'geolocation', 'notifications', 'openExternal', 'fileSystem', 'clipboard-read']) {
    const answer = vi.fn<(isAllowed: boolean) => void>();
    call('request', null, permission, answer);
    expect([permission, answer.mock.lastCall]).toEqual([permission, [false]]);
    expect([permission, call('check', null, permission)]).toEqual([permission, false]);
  }
  expect(call('device', {})).toBe(false);
});

describe('a call of the window', () => {
  const event = (more: object = {}): Partial<IpcMainInvokeEvent> => ({
    sender: window.contents as never,
    senderFrame: { url: `${origin}/settings`, parent: null, ...more } as never,
  });

  test('is answered when it is the own page’s', async () => {
    expect(await app.call(event(), 'getView')).toMatchObject({ version: '0.0.0', startsAtLogin: false });
  });

  test('is refused from another page, a frame within, a frame that is gone, and another window', async () => {
    const refused = [
      event({ url: 'https://example.com/' }),
      event({ parent: {} }),
      { ...event(), senderFrame: null },
      { ...event(), sender: {} as never },
    ];
    for (const each of refused) await expect(app.call(each, 'getView')).rejects.toThrow('another page');
  });

  test.each([
    ['setStartAtLogin', 'yes'],
    ['setStartAtLogin'],
    ['setStartAtLogin', true, true],
    ['getView', 1],
    ['toString'],
    ['constructor'],
    [undefined],
  ])('is refused that asks what there is not: %s %s', async (...args) => {
    await expect(app.call(event(), ...args)).rejects.toThrow(/takes|no such call/);
  });
});
