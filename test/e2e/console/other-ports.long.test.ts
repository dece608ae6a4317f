// The console beside other programs of this machine, in a real browser. Browsers send cookies to every port of a host, so other
// programs receive the console's cookies.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Page } from 'playwright';
import { describe, expect, onTestFinished, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { call } from '../../support/http-call.ts';
import { button, enter, enterAs, goTo, hasBrowser, signIn } from './browser.ts';
import { MANAGER, openShop } from './shop.ts';

/** Opens another program of this machine, which answers with a page. `cookies` lists all cookies that it received. */
async function openOtherProgram(): Promise<{ readonly url: string; readonly cookies: readonly string[] }> {
  const cookies: string[] = [];
  const server = createServer((req, res) => {
    cookies.push(req.headers.cookie ?? '');
    res.setHeader('content-type', 'text/html').end('<p>Another program</p>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cookies };
}

const storedKey = (page: Page): Promise<string | null> =>
  page.evaluate(() => localStorage.getItem('counterfoil.session'));

describe.skipIf(!hasBrowser)('a session', () => {
  test('is sent to no other port of this machine, and nothing sent there opens it', async () => {
    const { gateway } = await openShop();
    const page = await enter(gateway);
    const key = await storedKey(page);
    expect(page.url()).not.toContain(String(key));
    const other = await openOtherProgram();
    const tab = await page.context().newPage();
    for (const path of ['/', '/enter', '/api/journals', '/s/', '/s/guessed/api/journals'])
      await tab.goto(other.url + path);
    expect(await storedKey(tab)).toBe(null);
    expect(other.cookies.length).toBeGreaterThan(4);
    expect(other.cookies.filter((each) => each.includes('counterfoil_session'))).toEqual([]);
    for (const cookie of other.cookies)
      expect((await call(`${gateway.consoleUrl}/s/${key}/api/journals`, { headers: { cookie } })).status).toBe(401);
    await page.reload();
    await page.getByRole('navigation').waitFor();
  });

  test('belongs to the last sign-in, in every tab', async () => {
    const { gateway } = await openShop();
    const page = await enter(gateway);
    const former = await storedKey(page);
    const tab = await page.context().newPage();
    await tab.goto(gateway.createLink());
    await tab.getByRole('navigation').waitFor();
    expect(await storedKey(tab)).not.toBe(former);
    await goTo(page, 'settings');
    await page.getByText(en.settings.timeZone).waitFor();
    expect(await storedKey(page)).toBe(await storedKey(tab));
  });

  test('leaves no key when it ends, and the choices on this machine stay', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER);
    await page.evaluate(() => localStorage.setItem('counterfoil.language', 'en'));
    const left = page.waitForEvent('load'); // the console reloads
    await button(page.getByRole('navigation'), en.app.signOut).click();
    await left;
    await page.getByText(en.signIn.title).first().waitFor();
    expect(await storedKey(page)).toBe(null);
    expect(await page.evaluate(() => localStorage.getItem('counterfoil.language'))).toBe('en');
    const cookies = await page.context().cookies();
    expect(cookies.filter(({ name }) => name.startsWith('counterfoil_session'))).toEqual([]);
    await signIn(page, MANAGER);
    await page.getByRole('navigation').waitFor();
  });

  test('opens exports and the event stream', async () => {
    const { gateway, sell } = await openShop();
    const page = await enter(gateway);
    await sell('S-1');
    await goTo(page, 'records');
    await page.getByRole('link', { name: 'S-1' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: en.export.sales }).click(),
    ]);
    expect(await download.failure()).toBe(null);
    await sell('S-2');
    await page
      .getByText(/S-2|1 new/)
      .first()
      .waitFor();
  });
});
