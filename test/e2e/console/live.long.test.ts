// The console while data change. New sales appear automatically, a lost connection is shown, and no stale state looks current.

import { describe, expect, onTestFinished, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { openSite } from '../../support/gateway-process.ts';
import { button, enter, enterAs, goTo, hasBrowser, like, openPage, say } from './browser.ts';
import { openRelay } from './relay.ts';
import { MANAGER, openShop } from './shop.ts';

describe.skipIf(!hasBrowser)('live', () => {
  test('a record appears automatically on Today, and waits while the list is read', async () => {
    const { gateway, sell } = await openShop();
    const page = await enter(gateway);
    await page.waitForURL(/\/welcome/); // a gateway without records opens the first run
    await goTo(page, 'today');
    await page.getByRole('heading', { name: en.today.first }).waitFor();
    await sell('S-1');
    await page.getByRole('heading', { name: say(en.today.allUpstream_one, { n: 1 }) }).waitFor();

    await goTo(page, 'records');
    const rows = page.getByRole('table').getByRole('link');
    await page.getByRole('link', { name: 'S-1' }).waitFor();
    await sell('S-2');
    await page.getByRole('link', { name: 'S-2' }).waitFor();

    await page.getByRole('link', { name: 'S-1' }).hover();
    await sell('S-3');
    await button(page, say(en.records.arrivedNew_one, { n: 1 })).waitFor();
    expect(await rows.count()).toBe(2);
    await button(page, say(en.records.arrivedNew_one, { n: 1 })).click();
    await page.getByRole('link', { name: 'S-3' }).waitFor();
    expect(await rows.count()).toBe(3);
  });

  test('every screen reports a lost connection to the gateway, and catches up afterwards', async () => {
    const { gateway, sell } = await openShop();
    await sell('S-1');
    const relay = await openRelay(gateway.consoleUrl);
    onTestFinished(() => relay.cut());
    const page = await enterAs({ consoleUrl: relay.url }, MANAGER);
    await page.getByRole('heading', { name: say(en.today.allUpstream_one, { n: 1 }) }).waitFor();
    await page.getByText(en.today.safeNow, { exact: true }).waitFor();
    const header = page.getByRole('banner');
    await header.getByText(en.lane.running).waitFor();
    const isLoaded = () =>
      performance.getEntriesByType('resource').some(({ name }) => name.includes('/shortcut-list-'));
    await page.waitForFunction(isLoaded);
    await relay.cut();
    await page.getByText(like(en.app.lost)).waitFor();
    await header.getByText(like(en.lane.since, { state: en.lane.notConnected })).waitFor();
    expect(await header.getByText(en.lane.running).count()).toBe(0);
    expect(await page.getByText(en.today.safeNow, { exact: true }).count()).toBe(0);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText(en.app.nextInList).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button(page, en.app.signOut).click();
    await page.getByText(en.app.stillSignedIn).waitFor();
    await sell('S-2'); // the test cuts only the console's connection, not that of tills
    for (const place of ['settings', 'records'] as const) {
      await goTo(page, place);
      await page.getByRole('heading', { level: 1, name: en.app[place] }).waitFor();
      await page.getByText(like(en.app.lost)).waitFor();
    }

    await relay.mend();
    await page.getByRole('link', { name: 'S-2' }).waitFor();
    await header.getByText(en.lane.running).waitFor();
    expect(await page.getByText(like(en.app.lost)).count()).toBe(0);
  });

  test('a killed gateway is reported, and after its restart the user is asked to sign in again', async () => {
    const site = await openSite();
    onTestFinished(() => site.close());
    const first = await site.startGateway();
    const { port: consolePort } = new URL(first.consoleUrl);
    const link = async (): Promise<string> => ((await site.runJson('console')) as { readonly link: string }).link;
    const page = await openPage();
    await page.goto(await link());
    await page.getByText(like(en.welcome.step, { n: 1 })).waitFor(); // a gateway without a store opens the first run
    await goTo(page, 'today');
    await page.getByRole('heading', { name: en.welcome.noStore }).waitFor();
    first.kill('SIGKILL');
    await page.getByText(like(en.app.lost)).waitFor();

    await site.startGateway(first.port, '--console-port', consolePort);
    await page.getByRole('heading', { name: en.signIn.title }).waitFor();
    await page.goto(await link());
    await page.getByRole('heading', { name: en.welcome.noStore }).waitFor();
    expect(await page.getByText(like(en.app.lost)).count()).toBe(0);
  });

  test('any action after the end of a session leads to the sign-in, and then back to the same screen', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills');
    const other = await page.context().newPage();
    await other.goto(gateway.consoleUrl);
    await button(other, en.app.signOut).click();
    await other.getByRole('heading', { name: en.signIn.title }).waitFor();
    await page.getByText(en.signIn.ended).waitFor();
    expect(await page.getByRole('region', { name: 'Counter' }).count()).toBe(0);
    await other.goto(gateway.createLink());
    await other.getByRole('navigation').waitFor();
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))); // as if the user returned to the window
    await page.getByRole('region', { name: 'Counter' }).waitFor();
  });
});
