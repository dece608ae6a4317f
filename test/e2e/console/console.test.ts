// The console in a real browser, before a real gateway: what a clerk and a manager look at, on every screen, and what they do.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { openStandIn } from '../../../server/demo/stand-in.ts';
import { postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { assertLooksRight, closeBrowser, hasBrowser, type Look, LOOKS, openPage } from './browser.ts';

afterAll(closeBrowser);

const TIMEOUT = { timeout: 60_000 };

const saleOf = (id: string, total: string, soldAt = new Date()): string =>
  `{"type":"sale","external_id":"${id}","timestamp":"${soldAt.toISOString().slice(0, 19)}Z","object":{"total":${total}}}`;

/** A shop that has sold, sent again, sent changed and been refused, with an upstream that takes everything. */
async function openShop(): Promise<{ gateway: TestGateway; upstream: Awaited<ReturnType<typeof openStandIn>> }> {
  const gateway = await openTestGateway();
  const upstream = await openStandIn();
  onTestFinished(async () => {
    await gateway.close();
    await upstream.close();
  });
  const lane = { administration: 'Bakery', mode: 'production', interface: 'current' } as const;
  await gateway.store.performAct(
    lane,
    { kind: 'set upstream', upstream: { url: upstream.url, token: 'prod_upstream' } },
    'test',
  );
  const post = (body: string, key = gateway.production.secret) => postBody(gateway.apiUrl, key, body);
  for (let i = 1; i <= 12; i++) await post(saleOf(`S-${i}`, `${i}.50`));
  await post(saleOf('S-3', '3.50'));
  await post(saleOf('S-4', '4.05'));
  await post('{"type":"sale"}');
  await post(saleOf('S-99', '1'), 'prod_unknown-key-of-nobody');
  await upstream.waitUntil(({ records }) => records === 12);
  return { gateway, upstream };
}

async function enter(gateway: TestGateway, look: Look = 'desktop') {
  const page = await openPage(look);
  await page.goto(gateway.createLink());
  await page.getByRole('navigation').waitFor();
  return page;
}

describe.skipIf(!hasBrowser)('in a browser', TIMEOUT, () => {
  const screens = [
    ['today', '/', /All 12 sales of today/],
    ['records', '/records', /S-12/],
    ['refused', '/refused', /has used a key|field/i],
    ['upstream', '/upstream', /127\.0\.0\.1/],
    ['tills', '/tills', /Counter/],
    ['activity', '/activity', /upstream/i],
    ['settings', '/settings', /time zone/i],
    ['welcome', '/welcome', /./],
  ] as const;

  test.each(Object.keys(LOOKS) as Look[])('every screen says what it is about and looks right: %s', async (look) => {
    const { gateway } = await openShop();
    const page = await enter(gateway, look);
    for (const [name, path, text] of screens) {
      await page.goto(`${gateway.consoleUrl}${path}`);
      await page.getByRole('main').getByText(text).first().waitFor();
      await assertLooksRight(page, `${name}, ${look}`);
    }
  });

  test('a number is a door to the records it counts, and a conflict is understood', async () => {
    const { gateway } = await openShop();
    const page = await enter(gateway);
    await page.getByRole('link', { name: /^1\s*conflicts/ }).click();
    await expect.poll(() => page.url()).toContain('status=ERROR');
    await page.getByText('S-4').first().click();
    await page.getByText(/4\.50 then 4\.05/).waitFor();
    await assertLooksRight(page, 'conflict, desktop');
  });

  test('what comes in is seen without asking, and a line that is cut and restored is said', async () => {
    const { gateway, upstream } = await openShop();
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
    const { gateway } = await openShop();
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
