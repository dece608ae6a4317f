// The console in a real browser, before a real gateway: what a clerk and a manager look at, on every screen, and what they do.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { openStandIn } from '../../../server/demo/stand-in.ts';
import { postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import { assertLooksRight, closeBrowser, enter, goTo, hasBrowser, type Look, LOOKS, openPage } from './browser.ts';
import { openBusyShop, saleOf, type Shop } from './shop.ts';

afterAll(closeBrowser);

const TIMEOUT = { timeout: 60_000 };

describe.skipIf(!hasBrowser)('in a browser', TIMEOUT, () => {
  const screens = [
    ['today', /All 12 sales of today/],
    ['records', /S-12/],
    ['refused', /has used a key|field/i],
    ['upstream', /127\.0\.0\.1/],
    ['tills', /Counter/],
    ['activity', /upstream/i],
    ['settings', /time zone/i],
  ] as const;
  let shop: Promise<Shop> | undefined;
  let closeShop = async (): Promise<void> => {};
  afterAll(() => closeShop());

  test.each(Object.keys(LOOKS) as Look[])('every screen says what it is about and looks right: %s', async (look) => {
    const { gateway } = await (shop ??= openBusyShop((close) => (closeShop = close)));
    const page = await enter(gateway, look);
    for (const [name, text] of screens) {
      await goTo(page, name);
      await page.getByRole('main').getByText(text).first().waitFor();
      await assertLooksRight(page, `${name}, ${look}`);
    }
    await page.goto(`${gateway.consoleUrl}/welcome`);
    await page.getByRole('main').getByRole('heading').waitFor();
    await assertLooksRight(page, `welcome, ${look}`);
  });

  test('a number is a door to the records it counts, and a conflict is understood', async () => {
    const { gateway } = await openBusyShop();
    const page = await enter(gateway);
    await page.getByRole('link', { name: /^1\s*conflicts/ }).click();
    await expect.poll(() => page.url()).toContain('status=ERROR');
    await page.getByText('S-4').first().click();
    await page.getByText(/4\.50 then 4\.05/).waitFor();
    await assertLooksRight(page, 'conflict, desktop');
  });

  test('what comes in is seen without asking, and a line that is cut and restored is said', async () => {
    const { gateway, upstream } = await openBusyShop();
    const page = await enter(gateway);
    await page.getByText(/All 12 sales of today are here and upstream/).waitFor();
    await upstream.close();
    for (let i = 20; i < 24; i++) await postBody(gateway.apiUrl, gateway.production.secret, saleOf(`S-${i}`, '1'));
    await page.getByText(/The line is down since/).waitFor({ timeout: 20_000 });
    await assertLooksRight(page, 'line down, desktop');
    const again = await openStandIn({ port: Number(new URL(upstream.url).port) });
    onTestFinished(() => again.close());
    await page.getByText(/16 sales of today are here and upstream/).waitFor({ timeout: 30_000 });
  });

  test('nobody gets in without a link, and a link lets in once', async () => {
    const { gateway } = await openBusyShop();
    const link = gateway.createLink();
    const first = await openPage();
    await first.goto(gateway.consoleUrl);
    await first.getByRole('heading', { name: 'Sign in' }).waitFor();
    await assertLooksRight(first, 'sign in, desktop');
    await first.goto(link);
    await first.getByRole('navigation').waitFor();
    const second = await openPage();
    await second.goto(link);
    expect(await second.getByRole('navigation').count()).toBe(0);
  });

  test('a gateway without a store leads through the first run', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    const page = await enter(gateway, 'desktop');
    await page.goto(`${gateway.consoleUrl}/welcome`);
    await page.getByRole('main').waitFor();
    await assertLooksRight(page, 'first run, desktop');
  });
});
