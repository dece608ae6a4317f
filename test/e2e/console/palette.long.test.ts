// The command palette in a real browser, by keyboard alone.

import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { bodyOf, postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { assertLooksRight, enter, hasBrowser, openPage } from './browser.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
  await gateway.makeKey({ mode: 'production', label: 'Till 2' });
  await postBody(gateway.apiUrl, gateway.production.secret, bodyOf({ external_id: 'S-12' }));
});
afterAll(() => gateway.close());

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Go to …' });
const options = (page: Page) => dialog(page).getByRole('option');

/** Opens the palette and types a text. Resolves when an entry is selected. */
async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await dialog(page).getByRole('combobox').fill(text);
  await expect.poll(() => dialog(page).getByRole('option', { selected: true }).count()).toBe(1);
}

describe.skipIf(!hasBrowser)('in a browser', () => {
  const PLACES: readonly [typed: string, chosen: RegExp, address: RegExp][] = [
    ['setti', /^Settings/, /\/settings(\?|$)/],
    ['upst', /^Upstream/, /\/upstream(\?|$)/],
    ['till 2', /^Records of Till 2/, /\/records\?.*till=\d+/],
    ['yester', /^Store day: yesterday/, /\/days\/\d{4}-\d\d-\d\d/],
    ['records yester', /^Records of yesterday/, /\/records\?.*from=\d+/],
    ['month', /^This month/, /\/days(\?|$)/],
    ['S-12', /^Find sale S-12/, /\/records\?.*id=S-12/],
    ['key create', /^Create a key/, /\/tills(\?|$)/],
    ['pause', /^Pause or resume forwarding/, /\/upstream(\?|$)/],
    ['set up', /^Set the upstream/, /\/upstream(\?|$)/],
    ['test', /^Switch to Bakery · Test/, /journal=\d+/],
  ];
  test('a few letters and Enter open any screen', async () => {
    const page = await enter(gateway);
    for (const [typed, chosen, address] of PLACES) {
      await type(page, typed);
      expect(await dialog(page).getByRole('option', { selected: true }).innerText(), typed).toMatch(chosen);
      await page.keyboard.press('Enter');
      await expect.poll(() => page.url(), { message: typed }).toMatch(address);
      await dialog(page).waitFor({ state: 'hidden' });
    }
  });

  test('from a record of one store and mode it opens the list of another', async () => {
    const page = await enter(gateway);
    await type(page, 'S-12');
    await page.keyboard.press('Enter');
    await page.getByRole('table').getByRole('link', { name: 'S-12' }).click();
    await expect.poll(() => page.url()).toMatch(/\/records\/\d+/);
    await expect
      .poll(() => page.getByRole('dialog').evaluate((each) => each.contains(document.activeElement)))
      .toBe(true);
    await type(page, 'test');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toMatch(/\/records\?.*journal=\d+/);
    await page.getByRole('banner').getByText('TEST', { exact: true }).waitFor();
  });

  test('the arrow keys cycle through the list, a screen reader announces each entry, and Esc closes', async () => {
    const page = await enter(gateway);
    await page.getByRole('button', { name: 'Go to …' }).click();
    const text = dialog(page).getByRole('combobox');
    const chosen = (): Promise<string> => dialog(page).getByRole('option', { selected: true }).innerText();
    await expect.poll(() => text.evaluate((each) => each === document.activeElement)).toBe(true);
    await expect.poll(chosen).toMatch(/^Today/);
    await page.keyboard.press('ArrowDown');
    await expect.poll(chosen).toMatch(/^Records/);
    const told = await text.getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${told}"]`).innerText()).toMatch(/^Records/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect.poll(chosen).toBe(await options(page).last().innerText());
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Go to/);
  });

  test('Enter of an on-screen keyboard, whose keys have no code, chooses an option', async () => {
    const page = await enter(gateway);
    await type(page, 'setti');
    await dialog(page)
      .getByRole('combobox')
      .evaluate((text) => text.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })));
    await expect.poll(() => page.url()).toMatch(/\/settings(\?|$)/);
  });

  test('it looks right on a phone at night, and is not loaded with the first screen', async () => {
    const page = await openPage('phone, dark');
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await page.goto(gateway.createLink());
    await page.getByRole('navigation').waitFor();
    const isPalette = (url: string): boolean => /\/palette-[^/]+\.js$/.test(url);
    expect(loaded.filter(isPalette)).toEqual([]);
    await page.keyboard.press('Control+k');
    await options(page).first().waitFor();
    expect(loaded.filter(isPalette)).toHaveLength(1);
    await assertLooksRight(page, 'palette, phone, dark');
  });
});
