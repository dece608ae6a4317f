// A clerk and a manager on another PC: over HTTPS, with a name and a password.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { en } from '../../../renderer/words/en.ts';
import { digestPassword } from '../../../server/password.ts';
import { openStore } from '../../../server/store/store.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { PASSWORD } from '../../support/console.ts';
import { postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { button, closeBrowser, enterAs, hasBrowser, openPage, signIn } from './browser.ts';
import { LANE, saleOf } from './shop.ts';

const TIMEOUT = { timeout: 60_000 };
const SCREENS = ['/', '/records', '/refused', '/upstream', '/tills', '/activity', '/settings', '/welcome'];

describe.skipIf(!hasBrowser)('over HTTPS', TIMEOUT, () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openTestGateway({ consoleHost: '0.0.0.0' }, makeCertificate(), {
      async prepare(dataDir) {
        const store = await openStore({ dataDir, role: 'command' });
        const password = await digestPassword(PASSWORD);
        await store.addUser({ name: 'Ann', role: 'clerk', createdAt: Date.now(), password }, 'test');
        await store.addUser({ name: 'Mia', role: 'manager', createdAt: Date.now(), password }, 'test');
        await store.close();
      },
    });
    // An upstream at which nobody is, so that there is something to try; and a record that was refused.
    const upstream = { url: 'http://127.0.0.1:1', token: 'prod_upstream' };
    await gateway.store.performAct(LANE, { kind: 'set upstream', upstream }, 'test');
    await postBody(gateway.apiUrl, gateway.production.secret, saleOf('S-1', '1.50'));
  });
  afterAll(async () => {
    await closeBrowser();
    await gateway.close();
  });

  test('a clerk looks at every screen, and each button of a manager says why it does nothing', async () => {
    const page = await openPage();
    await page.goto(gateway.consoleUrl);
    await signIn(page, 'Ann');
    await page.getByRole('navigation').waitFor();
    expect(page.url()).toMatch(/^https:/);
    const changes: string[] = [];
    page.on('request', (request) => request.method() !== 'GET' && changes.push(request.url()));
    const seen: string[] = [];
    for (const path of SCREENS) {
      await page.goto(gateway.consoleUrl + path);
      await page.getByRole('heading', { level: 2 }).or(page.getByRole('table')).first().waitFor();
      const offered = page.getByRole('main').locator('[aria-description]');
      for (const each of await offered.all()) {
        expect(await each.getAttribute('aria-disabled')).toBe('true');
        expect(await each.getAttribute('aria-description')).toBe(en.app.managerOnly);
        seen.push(await each.innerText());
        await each.click({ force: true });
      }
    }
    expect(seen).toEqual(
      expect.arrayContaining([en.upstream.pause, en.upstream.change, en.tills.newTill, en.tills.takeOver]),
    );
    expect(changes).toEqual([]);

    // Nothing that changes anything is there without saying so.
    await page.goto(`${gateway.consoleUrl}/upstream`);
    await button(page, en.upstream.pause).focus();
    await page.getByRole('tooltip', { name: en.app.managerOnly }).waitFor();
    await page.goto(`${gateway.consoleUrl}/settings`);
    await page.getByText(en.settings.looksOnly).waitFor();
    for (const field of await page.getByRole('group').getByRole('textbox').all())
      expect(await field.getAttribute('readonly')).not.toBeNull();
    for (const field of await page.getByRole('checkbox').all()) expect(await field.isDisabled()).toBe(true);
  });

  test('a manager finds the same buttons working', async () => {
    const page = await enterAs(gateway, 'Mia', '/upstream');
    expect(await page.locator('[aria-description]').count()).toBe(0);
    await button(page, en.upstream.pause).click();
    await button(page, en.upstream.resume).click();
    await button(page, en.upstream.pause).waitFor();
    const acts = await gateway.store.listActs({ limit: 2 });
    expect(acts.map(({ actor, act }) => `${actor}: ${act}`)).toEqual(['Mia: resume', 'Mia: pause']);
  });

  test('a wrong password is said, and after five of them even the right one waits', async () => {
    const page = await openPage();
    await page.goto(gateway.consoleUrl);
    for (let attempt = 1; attempt <= 5; attempt++) {
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.request().method() === 'POST'),
        signIn(page, 'Ann', 'not the password'),
      ]);
      expect(answer.status()).toBe(401);
      await page.getByText(en.problem.sign_in_failed).waitFor();
    }
    await signIn(page, 'Ann');
    await page.getByText(en.problem.sign_in_limited).waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
  });
});
