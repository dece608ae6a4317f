// A file of the console fails to load once, and the page recovers automatically. In practice this happens when the computer's
// network changes, because that breaks all connections of the browser.

import { describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { hasBrowser, openPage } from './browser.ts';
import { openShop } from './shop.ts';

describe.skipIf(!hasBrowser)('the console starts although one of its files fails to load at first:', () => {
  test.each([
    ['the first script', /\/assets\/index-[^/]*\.js$/],
    ['the styles', /\/assets\/index-[^/]*\.css$/],
    ['the first texts', /\/assets\/en-[^/]*\.js$/],
    ['each of its scripts', /\.js$/],
  ])('%s', async (_, file) => {
    const { gateway } = await openShop();
    const page = await openPage();
    const failed = new Set<string>();
    await page.route(file, async (route) => {
      const url = route.request().url();
      if (failed.has(url)) return route.continue();
      failed.add(url);
      return route.abort('connectionfailed');
    });
    await page.goto(gateway.createLink());
    await page.getByRole('navigation').getByRole('link', { name: en.app.records }).click();
    await page.getByRole('heading', { level: 1, name: en.app.records }).waitFor();
    expect(failed.size).toBeGreaterThan(0);
  });

  test('the first script, and the gateway cannot be reached for a while', async () => {
    const { gateway } = await openShop();
    const page = await openPage();
    let attempts = 0;
    const isLost = Promise.withResolvers<void>();
    await page.route(/\.js$/, async (route) => {
      await page.route(`${gateway.consoleUrl}/`, (again) => {
        if (++attempts === 2) isLost.resolve();
        return again.abort('connectionfailed');
      });
      await route.abort('connectionfailed');
    });
    await page.goto(gateway.createLink());
    await isLost.promise;
    await page.unrouteAll();
    await page.getByRole('navigation').waitFor();
    expect(await page.title()).toContain('Counterfoil');
  });
});
