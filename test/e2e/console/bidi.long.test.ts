// A text from a till may contain the character U+202E, which reverses the text after it. On no screen may this character
// reverse other text.

import type { Page } from 'playwright';
import { describe, expect, test } from 'vitest';

import { postBody } from '../../support/http-call.ts';
import { enter, goTo, hasBrowser } from './browser.ts';
import { openShop, saleOf } from './shop.ts';

const TURN = '\u202e';

/**
 * Finds the texts with a reversing character. `seen` is the number of these texts. `free` lists those that are not isolated, so
 * they could reverse the text beside them.
 */
function listTurning(page: Page): Promise<{ seen: number; free: string[] }> {
  return page.evaluate((turn) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const free: string[] = [];
    let seen = 0;
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent ?? '';
      const element = walker.currentNode.parentElement;
      if (!text.includes(turn) || element === null) continue;
      seen += 1;
      const outside = text.replaceAll(/\u2068[^\u2068\u2069]*\u2069/g, '');
      if (outside.includes(turn) && element.closest('bdi, pre') === null) free.push(`${element.tagName}: ${text}`);
    }
    return { seen, free };
  }, TURN);
}

describe.skipIf(!hasBrowser)('an id, a type and a till with U+202E', () => {
  test('reverse only themselves, on any screen', async () => {
    const { gateway, upstream } = await openShop({ script: '422' });
    const id = `S-${TURN}gpj.7`;
    const body = saleOf(id, '1.50').replace('"sale"', `"${TURN}epyt"`);
    const { secret } = gateway.production;
    await postBody(gateway.apiUrl, secret, body);
    await postBody(gateway.apiUrl, secret, body.replace('1.50', `"${TURN}05.1"`));
    await upstream.waitUntil(({ attempts }) => attempts >= 1);
    const page = await enter(gateway);
    const expectNoneFree = async (where: string, least: number): Promise<void> => {
      await expect.poll(async () => (await listTurning(page)).seen, { message: where }).toBeGreaterThanOrEqual(least);
      expect((await listTurning(page)).free, where).toEqual([]);
    };

    await goTo(page, 'records');
    await expectNoneFree('the list', 4);
    await page.getByRole('link', { name: id }).first().click();
    await page.getByRole('dialog').waitFor();
    await expectNoneFree('a record that differs', 8);
    await page.keyboard.press('Escape');
    await goTo(page, 'upstream');
    await expectNoneFree('what is held', 2);
    await page.goto(`${gateway.consoleUrl}/days/${new Date().toISOString().slice(0, 10)}`);
    await expectNoneFree('the day', 1);
    await page.goto(`${gateway.consoleUrl}/records?type=${encodeURIComponent(`${TURN}epyt`)}`);
    await expectNoneFree('a filter', 5);
  });
});
