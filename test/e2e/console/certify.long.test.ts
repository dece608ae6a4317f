// Certifying a till in the console, in a real browser with a real gateway.

import type { Page } from 'playwright';
import { describe, expect, test } from 'vitest';

import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import { MANY_DIGITS } from '../../../server/contract/certify.ts';
import { addUser } from '../../support/console.ts';
import { postBody } from '../../support/http-call.ts';
import {
  assertLooksRight,
  button,
  enter,
  enterAs,
  goTo,
  hasBrowser,
  keepPicture,
  like,
  openPage,
  say,
} from './browser.ts';
import { openShop, saleOf, type Shop } from './shop.ts';

const soldAt = new Date();
const TILL = 'Counter under test';

function post({ gateway }: Shop, id: string, total: string, at = soldAt) {
  return postBody(gateway.apiUrl, gateway.test.secret, saleOf(id, total, at));
}

/** Opens the tills of the test journal. */
async function openTills(page: Page, { gateway }: Shop): Promise<void> {
  await page.goto(`${gateway.consoleUrl}/tills?journal=${gateway.test.journalId}`);
  await page.getByRole('main').getByText(TILL).first().waitFor();
}

async function waitForStep(page: Page, n: number, step: string, words = en.certify.stepOf): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('heading', { name: say(words, { till: TILL, n, all: 10, step }) })
    .waitFor();
}

describe.skipIf(!hasBrowser)('certifying a till', () => {
  test('a manager begins at the till, follows the steps live, and prints the report', async () => {
    const shop = await openShop();
    const { gateway } = shop;
    const page = await enter(gateway);
    await openTills(page, shop);
    const card = page.getByRole('region', { name: TILL });
    await card.getByRole('link', { name: en.certify.certify }).click();
    await button(page, en.certify.start).waitFor();
    await assertLooksRight(page, 'certify start, desktop');
    await button(page, en.certify.start).click();
    await waitForStep(page, 1, en.certify.step_first_sale);
    expect(await page.title()).toContain(say(en.certify.startTitle, { till: TILL }));
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
    await assertLooksRight(page, 'certify begun, desktop');

    await post(shop, 'A-1', '1.50');
    await waitForStep(page, 2, en.certify.step_retry);
    await post(shop, 'A-1', '1.50');
    await waitForStep(page, 3, en.certify.step_changed_resend);
    await post(shop, 'A-1', '9.50');
    await waitForStep(page, 4, en.certify.step_lost_answer);
    await expect(post(shop, 'A-2', '1.50')).rejects.toThrow('other side closed');
    await page.getByRole('main').getByText(en.certify.finding_awaiting_resend).waitFor();
    await post(shop, 'A-2', '1.50');
    await waitForStep(page, 5, en.certify.step_come_back);

    await post(shop, 'A-3', '1.50');
    await post(shop, 'A-3', '1.50'); // too early
    await page.getByRole('heading', { name: say(en.certify.chooseStep, { till: TILL }) }).waitFor();
    await page
      .getByRole('main')
      .getByText(say(en.certify.finding_too_early, { comeBack: 10 }))
      .waitFor();
    await assertLooksRight(page, 'certify failed step, desktop');
    await button(page, `${en.certify.again}: ${en.certify.step_come_back}`).dblclick();
    await waitForStep(page, 5, en.certify.step_come_back);
    const repeated = page.getByRole('listitem').filter({ hasText: en.certify.step_come_back });
    await repeated.getByText(say(en.certify.attempts, { n: 2 })).waitFor();
    await button(page, `${en.certify.skip} ${en.certify.step_come_back}`).click();
    const dialog = page.getByRole('dialog');
    await button(dialog, en.certify.skipDo).click();
    await dialog.getByText(en.app.reasonMissing).waitFor();
    await dialog.getByRole('textbox').fill('The supplier repairs this next week.');
    await button(dialog, en.certify.skipDo).click();
    await waitForStep(page, 6, en.certify.step_wrong_clock);

    await post(shop, 'A-4', '1.50', new Date(Date.now() + 600_000));
    await waitForStep(page, 7, en.certify.step_many_digits);
    await post(shop, 'A-5', MANY_DIGITS);
    await waitForStep(page, 8, en.certify.step_slow_line);
    await button(page, `${en.certify.begin}: ${en.certify.step_wrong_key}`).click();
    await waitForStep(page, 9, en.certify.step_wrong_key);
    await post(shop, 'A-6', '1.50');
    await button(page, en.certify.confirm).click();
    await page
      .getByRole('main')
      .getByText(say(en.certify.finding_awaiting_kept, { missing: 1 }))
      .waitFor();
    await post(shop, 'A-6', '1.50');
    await page.getByRole('main').getByText(en.certify.finding_kept_and_sent).waitFor();
    await waitForStep(page, 8, en.certify.step_slow_line);
    await keepPicture(page, 'certify running, desktop');
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertLooksRight(page, 'certify running, dark');
    await page.emulateMedia({ colorScheme: 'light' });

    await button(page, en.certify.end).click();
    const ending = page.getByRole('dialog', { name: say(en.certify.endTitle, { till: TILL }) });
    await ending.getByText(en.certify.endMeans).waitFor();
    await assertLooksRight(page, 'certify end, desktop');
    await button(ending, en.app.cancel).click();
    await ending.waitFor({ state: 'detached' });
    await waitForStep(page, 8, en.certify.step_slow_line);
    await button(page, en.certify.end).click();
    await button(ending, en.certify.end).click();
    await page.getByRole('heading', { name: say(en.certify.notFinished, { till: TILL }) }).waitFor();
    await assertLooksRight(page, 'certify ended, desktop');
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 794, height: 1123 });
    const report = page.getByText(en.certify.report).first();
    await report.waitFor();
    await keepPicture(page, 'certify report, print');
    await page.emulateMedia({ media: 'screen' });

    await page.setViewportSize({ width: 1280, height: 800 });
    await page.reload();
    await page.getByRole('heading', { name: say(en.certify.notFinished, { till: TILL }) }).waitFor();
    await goTo(page, 'activity');
    expect(await page.title()).not.toContain(TILL);
    await page.getByText(like(en.activity.certifyTill, { till: TILL, passed: 7, failed: 0, skipped: 1 })).waitFor();
    await openTills(page, shop);
    await page.getByRole('link', { name: en.certify.certify }).click();
    await page.getByRole('link', { name: like(en.certify.reportLink, { till: TILL }) }).waitFor();
  });

  test('on a phone, by day and by night', async () => {
    const shop = await openShop();
    const page = await enter(shop.gateway, 'phone');
    await openTills(page, shop);
    await page.getByRole('link', { name: en.certify.certify }).click();
    await button(page, en.certify.start).click();
    await waitForStep(page, 1, en.certify.step_first_sale);
    await post(shop, 'A-1', '1.50');
    await waitForStep(page, 2, en.certify.step_retry);
    await assertLooksRight(page, 'certify, phone');
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertLooksRight(page, 'certify, phone, dark');
    const { scrollWidth, clientWidth } = await page.evaluate(() => ({
      scrollWidth: document.documentElement.scrollWidth,
      clientWidth: document.documentElement.clientWidth,
    }));
    expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  });

  test.each([
    ['nl', nl],
    ['de', de],
  ])('in %s', async (locale, texts) => {
    const shop = await openShop();
    const page = await openPage('desktop', { locale });
    await page.goto(shop.gateway.createLink());
    await page.getByRole('navigation').waitFor();
    await openTills(page, shop);
    await page.getByRole('link', { name: texts.certify.certify }).click();
    await button(page, texts.certify.start).waitFor();
    await keepPicture(page, `certify start, ${locale}`);
    await button(page, texts.certify.start).click();
    await waitForStep(page, 1, texts.certify.step_first_sale, texts.certify.stepOf);
    await post(shop, 'A-1', '1.50');
    await post(shop, 'A-1', '1.50');
    await post(shop, 'A-1', '2.50');
    await page.getByRole('main').getByText(texts.certify.finding_conflict_kept).waitFor();
    await assertLooksRight(page, `certify, ${locale}`);
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 794, height: 1123 });
    await keepPicture(page, `certify report, ${locale}`);
  });

  test('a clerk cannot begin a certification', async () => {
    const shop = await openShop();
    await addUser(shop.gateway, 'Carl', 'clerk');
    const page = await enterAs(shop.gateway, 'Carl', `/tills?journal=${shop.gateway.test.journalId}`);
    await page.getByRole('main').getByText(TILL).first().waitFor();
    expect(await page.getByRole('link', { name: en.certify.certify }).count()).toBe(0);
  });

  test('production offers no certification', async () => {
    const shop = await openShop();
    const page = await enter(shop.gateway);
    await page.goto(`${shop.gateway.consoleUrl}/tills?journal=${shop.gateway.production.journalId}`);
    await page.getByRole('main').getByText('Counter').first().waitFor();
    expect(await page.getByRole('link', { name: en.certify.certify }).count()).toBe(0);
  });
});
