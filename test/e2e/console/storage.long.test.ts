// The console in a browser whose storage is unusable. The session's key then stays in the page's memory.

import type { Page } from 'playwright';
import { describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { button, goTo, hasBrowser, openPage, signIn } from './browser.ts';
import { MANAGER, openShop } from './shop.ts';

function refuseStorage(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    Object.defineProperty(globalThis, 'localStorage', {
      get() {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      },
    });
    addEventListener('storage', (event) => event.stopImmediatePropagation()); // imitates a browser without any storage
  });
}

function fillStorage(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    for (let length = 1 << 23; length >= 1; length >>= 1) {
      try {
        for (let n = 0; ; n++) localStorage.setItem(`other ${length} ${n}`, 'x'.repeat(length));
      } catch {
        // The storage has no room for a value of this size. A smaller value may still fit.
      }
    }
  });
}

describe.skipIf(!hasBrowser)('a browser', () => {
  test.each([
    ['that allows no storage', refuseStorage],
    ['whose storage is full', fillStorage],
  ])('%s shows the console to a user with a link or a password', async (_name, prepare) => {
    const { gateway } = await openShop();
    const page = await openPage();
    await prepare(page);
    await page.goto(gateway.createLink());
    await page.getByRole('navigation').waitFor();
    await goTo(page, 'settings');
    await page.getByText(en.settings.timeZone).waitFor();
    await button(page.getByRole('navigation'), en.app.signOut).click();
    await page.waitForURL((url) => url.pathname === '/'); // the page loads again
    await signIn(page, MANAGER);
    await page.getByRole('navigation').waitFor();
    expect(page.url()).not.toContain('#');
  });
});
