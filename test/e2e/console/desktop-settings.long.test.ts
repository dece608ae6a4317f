// The parts of the console that exist only in the desktop app. These tests use a stand-in for the app; test/e2e/desktop tests
// the real one.

import { describe, expect, test } from 'vitest';

import type { DesktopApi, DesktopView } from '../../../electron/desktop-api.ts';
import en from '../../../renderer/locales/en.json';
import { assertLooksRight, button, enter, goTo, hasBrowser, keepPicture, openPage, say } from './browser.ts';
import { openShop } from './shop.ts';

describe.skipIf(!hasBrowser)('the settings of the app', () => {
  test('start it with the machine, show its files, restart the gateway and quit', async () => {
    const { gateway } = await openShop();
    const page = await openPage();
    const calls: string[] = [];
    await page.exposeFunction('noteCall', (call: string) => void calls.push(call));
    await page.addInitScript(() => {
      const { noteCall } = globalThis as unknown as { noteCall: (call: string) => Promise<void> };
      const view: DesktopView = {
        version: '1.2.3',
        startsAtLogin: false,
        canStartAtLogin: true,
        dataDir: '/data',
        hasKeyring: true,
        looksForUpdates: true,
        update: { version: '1.3.0', isAutomatic: true },
      };
      const desktop: DesktopApi = {
        getView: () => Promise.resolve(view),
        async setStartAtLogin(isOn) {
          await noteCall(`start at login ${isOn}`);
          return { ...view, startsAtLogin: isOn };
        },
        showFiles: (what) => noteCall(`show ${what}`),
        restartGateway: () => noteCall('restart'),
        quit: () => noteCall('quit'),
      };
      Object.assign(globalThis, { desktop });
    });
    await page.goto(gateway.createLink());
    await goTo(page, 'settings');
    const section = page.getByRole('region', { name: en.settings.desktopSection });
    const startAtLogin = section.getByRole('checkbox', { name: en.settings.startAtLogin });
    expect(await startAtLogin.isChecked()).toBe(false);
    await section.getByText(en.settings.keysSealed).waitFor();
    await page.getByText(say(en.thisGateway.updateComes, { version: '1.3.0' })).waitFor();
    await startAtLogin.click();
    await expect.poll(() => startAtLogin.isChecked()).toBe(true);
    for (const name of ['openData', 'openLogs', 'saveDiagnostics', 'restartGateway', 'quit'] as const)
      await button(section, en.settings[name]).click();
    const shown = ['show data', 'show logs', 'show diagnostics'];
    await expect.poll(() => calls).toEqual(['start at login true', ...shown, 'restart', 'quit']);
    await section.scrollIntoViewIfNeeded();
    await assertLooksRight(page, 'settings, desktop app');
    await page.setViewportSize({ width: 360, height: 900 }); // the minimum width of the app's window
    await page.emulateMedia({ colorScheme: 'dark' });
    await section.scrollIntoViewIfNeeded();
    await keepPicture(page, 'settings, desktop app, narrow, dark');
  });

  test('are not in a browser', async () => {
    const { gateway } = await openShop();
    const page = await enter(gateway);
    await goTo(page, 'settings');
    await page.getByRole('region', { name: en.settings.appearanceSection }).waitFor();
    expect(await page.getByRole('region', { name: en.settings.desktopSection }).count()).toBe(0);
  });
});
