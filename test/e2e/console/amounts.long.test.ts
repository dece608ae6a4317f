// Amounts of money in the console: a manager confirms the suggested rule. Then every list shows the amounts, and the search
// finds them.

import { describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { postBody } from '../../support/http-call.ts';
import { assertLooksRight, button, enterAs, hasBrowser, keepPicture, like, say } from './browser.ts';
import { MANAGER, openShop } from './shop.ts';

/** A sale of two items. `total` need not be the sum of their prices. */
function saleWithLines(id: string, total: string): string {
  const lines = `[{"description":"Rye bread","quantity":2,"price":3.10},{"description":"Croissant","quantity":1,"price":6.30}]`;
  const object = `{"lines":${lines},"total":${total},"currency":"EUR","payment_method":"card"}`;
  return `{"type":"sale","external_id":"${id}","timestamp":"${new Date().toISOString().slice(0, 19)}Z","object":${object}}`;
}

describe.skipIf(!hasBrowser)('amounts', () => {
  test('are proposed with an example, confirmed, shown on Today and in Records, and found', async () => {
    const { gateway } = await openShop();
    for (const [id, total] of [
      ['T2-000411', '7.25'],
      ['T2-000412', '12.50'],
      ['T2-000413', '12.05'],
    ] as const) {
      const answer = await postBody(gateway.apiUrl, gateway.production.secret, saleWithLines(id, total));
      expect(answer.status).toBe(201);
    }
    const page = await enterAs(gateway, MANAGER);
    await page.getByRole('link', { name: en.today.setAmounts }).click();
    await page.getByText(say(en.amounts.examplePaid, { id: 'T2-000413', amount: '€12.05', payment: 'card' })).waitFor();
    await assertLooksRight(page, 'amounts, suggested');
    await button(page, en.amounts.confirm).click();
    await page.getByText(en.amounts.inForce, { exact: true }).waitFor();
    await assertLooksRight(page, 'amounts, set');

    await page.goto(gateway.consoleUrl);
    await page
      .getByRole('link', { name: /€31\.80/ })
      .first()
      .waitFor();
    await assertLooksRight(page, 'today with money');
    await page.goto(`${gateway.consoleUrl}/records`);
    const rows = page.getByRole('table', { name: en.records.list }).getByRole('link');
    await page.getByRole('cell', { name: '€7.25' }).waitFor();
    await assertLooksRight(page, 'records with money');

    const search = page.getByRole('textbox', { name: en.records.search });
    await search.fill('12,50');
    await expect.poll(() => rows.allInnerTexts()).toEqual(['T2-000412']);
    expect(new URL(page.url()).searchParams.get('amount')).toBe('12,50');
    await page.getByRole('heading', { name: say(en.records.newest_one, { n: 1 }), exact: true }).waitFor();
    await search.fill('0413');
    await button(page, say(en.records.endInstead, { text: '0413' })).click();
    await expect.poll(() => rows.allInnerTexts()).toEqual(['T2-000413']);

    await rows.first().click();
    const receipt = page.getByRole('dialog').getByRole('region', { name: en.record.receipt });
    await receipt.getByText('Croissant').waitFor();
    expect((await receipt.innerText()).split(/\s+/)).toEqual(
      expect.arrayContaining(['3.10', '6.30', '€12.05', 'card']),
    );
    await assertLooksRight(page, 'receipt');
    await page.setViewportSize({ width: 390, height: 844 });
    await assertLooksRight(page, 'receipt, phone');
  });

  test('a rule is set by hand and removed, and a path that is none gets an error at its field', async () => {
    const { gateway, sell } = await openShop();
    await sell('S-1');
    const page = await enterAs(gateway, MANAGER, '/amounts');
    await button(page, en.amounts.add).click();
    await page.getByRole('textbox', { name: en.amounts.typeOf }).fill('sale');
    await page.getByRole('textbox', { name: en.amounts.total }).fill('/object/~total');
    await button(page, en.app.save).click();
    await page.getByText(like(en.fault.pointer)).waitFor();
    await page.getByRole('textbox', { name: en.amounts.total }).fill('/object/total');
    await page.getByRole('textbox', { name: en.amounts.currency }).fill('eur');
    await button(page, en.app.save).click();
    await page.getByRole('region', { name: 'sale' }).getByText('EUR', { exact: true }).waitFor();
    await keepPicture(page, 'amounts, by hand');
    await button(page, en.amounts.remove).click();
    await button(page, en.amounts.removeDo).click();
    const inForce = page.getByRole('region', { name: 'sale' }).getByText(en.amounts.inForce);
    await expect.poll(() => inForce.count()).toBe(0);
  });
});
