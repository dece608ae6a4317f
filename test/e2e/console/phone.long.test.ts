// The console on a phone.

import { describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { assertLooksRight, button, enterAs, goTo, hasBrowser, like, say } from './browser.ts';
import { listActsOf, MANAGER, shareBusyShop } from './shop.ts';

describe.skipIf(!hasBrowser)('on a phone', () => {
  const getShop = shareBusyShop();

  test('a conflict is opened and understood', async () => {
    const page = await enterAs(getShop().gateway, MANAGER, '/', 'phone');
    await page.getByRole('link', { name: new RegExp(`^1\\s*${en.today.conflictCount_one}`) }).click();
    await page.getByRole('link', { name: 'S-4' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(like(en.record.changed, { original: '4.50', resent: '4.05' })).waitFor();
    await assertLooksRight(page, 'conflict, phone');
    await button(dialog, en.app.close).click();
    await page.getByRole('link', { name: 'S-4' }).waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('ERROR');
  });

  test('a held record is sent again and a key is made', async () => {
    const { gateway, upstream, sell } = getShop();
    await upstream.setScript('422, accept');
    await sell('H-1');
    const page = await enterAs(gateway, MANAGER, '/upstream', 'phone');
    await button(page, `${en.upstream.sendAgain}: H-1`).click();
    await upstream.waitUntil(({ records }) => records === 13);
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
});
