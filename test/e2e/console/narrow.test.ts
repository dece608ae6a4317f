// The console on a phone in the shop, and enlarged for those who need it larger.

import { afterAll, describe, expect, test } from 'vitest';

import { en } from '../../../renderer/words/en.ts';
import { button, closeBrowser, enterAs, goTo, hasBrowser, like, say } from './browser.ts';
import { listActsOf, MANAGER, openBusyShop, openShop } from './shop.ts';

afterAll(closeBrowser);

const TIMEOUT = { timeout: 60_000 };
const SCREENS = ['/', '/records', '/refused', '/upstream', '/tills', '/activity', '/settings', '/welcome'];

describe.skipIf(!hasBrowser)('on a phone', TIMEOUT, () => {
  test('a held record is sent again and a key is made', async () => {
    const { gateway, upstream, sell } = await openShop({ script: '422, accept' });
    await sell('S-1');
    const page = await enterAs(gateway, MANAGER, '/upstream', 'phone');
    await button(page, `${en.upstream.sendAgain}: S-1`).click();
    await upstream.waitUntil(({ records }) => records === 1);
    await page.getByText(say(en.upstream.sentAgain_one, { n: 1 })).waitFor();

    await goTo(page, 'tills');
    await button(page, en.tills.newTill).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(en.tills.tillName).fill('Bar');
    await button(dialog, en.tills.create).click();
    await dialog.getByText(/^prod_/).waitFor();
    await button(dialog, `${en.app.copy}: ${en.tills.key}`).click();
    await button(dialog, en.tills.done).click();
    await page.getByRole('region', { name: 'Bar' }).waitFor();
    expect(await listActsOf(gateway, MANAGER)).toHaveLength(2);
  });

  test('a conflict is opened and understood', async () => {
    const { gateway } = await openBusyShop();
    const page = await enterAs(gateway, MANAGER, '/', 'phone');
    await page.getByRole('link', { name: new RegExp(`^1\\s*${en.today.conflicts}`) }).click();
    await page.getByRole('link', { name: 'S-4' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(like(en.record.changed, { original: '4.50', resent: '4.05' })).waitFor();
    await button(dialog, en.app.close).click();
    await page.getByRole('link', { name: 'S-4' }).waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('ERROR');
  });
});

describe.skipIf(!hasBrowser)('enlarged to twice its size', TIMEOUT, () => {
  test('no screen has to be scrolled sideways, and nothing moves for those who want it still', async () => {
    const { gateway } = await openBusyShop();
    const page = await enterAs(gateway, MANAGER, '/', 'small', {
      viewport: { width: 640, height: 512 },
      deviceScaleFactor: 2,
      reducedMotion: 'reduce',
    });
    for (const path of [...SCREENS, '/records/14']) {
      await page.goto(gateway.consoleUrl + path);
      await page.getByRole('heading', { level: 2 }).or(page.getByRole('table')).first().waitFor();
      const { scrollWidth, clientWidth } = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return { scrollWidth, clientWidth };
      });
      expect(scrollWidth, path).toBeLessThanOrEqual(clientWidth);
      const moving = await page.evaluate(
        () => document.getAnimations().filter((each) => each.playState === 'running').length,
      );
      expect(moving, path).toBe(0);
    }
  });
});
