// What a clerk and a manager see and may do on another PC, over HTTPS, with a name and a password.

import { setImmediate } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { openStore } from '../../../server/store/open-store.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { KEPT_PASSWORD, windowOf } from '../../support/console.ts';
import { postBody } from '../../support/http-call.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';
import { assertLooksRight, button, closeBrowser, goTo, hasBrowser, openPage, say, SCREENS, signIn } from './browser.ts';
import { LANE, saleOf } from './shop.ts';

describe.skipIf(!hasBrowser)('over HTTPS', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openTestGateway({ consoleHost: '0.0.0.0' }, makeCertificate(), {
      async prepare(dataDir) {
        const store = await openStore({ dataDir, role: 'command' });
        await store.people.add({ name: 'Ann', role: 'clerk', createdAt: Date.now(), password: KEPT_PASSWORD }, 'test');
        await store.close();
      },
    });
    // The upstream rejects two records and then fails, so that the button "try now" appears.
    const standIn = await openStandIn({ script: '422' });
    const upstream = { url: standIn.url, token: 'prod_upstream' };
    await gateway.store.outbox.performAct(LANE, { kind: 'set upstream', upstream }, 'test');
    const sell = (id: string) => postBody(gateway.apiUrl, gateway.production.secret, saleOf(id, '1.50'));
    await sell('S-1');
    await sell('S-2');
    const held = { journalId: gateway.production.journalId, delivery: 'held', order: 'newest', limit: 9 } as const;
    while ((await gateway.store.records.search(held)).records.length < 2) await setImmediate();
    await standIn.close();
    await sell('S-3');
  });
  afterAll(async () => {
    await closeBrowser();
    await gateway.close();
  });

  test('a clerk sees every screen, and each manager button says why it is disabled', async () => {
    const page = await openPage();
    await page.goto(gateway.consoleUrl);
    await page.getByRole('heading', { name: en.signIn.title }).waitFor();
    await assertLooksRight(page, 'sign in, desktop');
    await signIn(page, 'Ann');
    await page.getByRole('navigation').waitFor();
    expect(page.url()).toMatch(/^https:/);
    const changes: string[] = [];
    page.on('request', (request) => request.method() !== 'GET' && changes.push(request.url()));
    const seen: string[] = [];
    const tryButtons = async (): Promise<void> => {
      for (const each of await page.locator('[aria-description]').all()) {
        expect(await each.getAttribute('aria-disabled')).toBe('true');
        expect(await each.getAttribute('aria-description')).toBe(en.app.managerOnly);
        seen.push((await each.textContent()) ?? '');
        await each.click({ force: true });
      }
    };
    for (const name of SCREENS) {
      await goTo(page, name);
      await page.getByRole('heading', { level: 1, name: en.app[name] }).waitFor();
      await page.getByRole('heading', { level: 2 }).or(page.getByRole('table')).first().waitFor();
      if (name === 'upstream') {
        await button(page, en.upstream.sendAllAgain).waitFor();
        await button(page, en.upstream.tryNow).waitFor(); // the lane is down now, so the screen no longer changes
      }
      await tryButtons();
    }
    await page.goto(`${gateway.consoleUrl}/welcome`);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await tryButtons();
    const { upstream, tills } = en;
    const ofTheLine = [upstream.tryNow, upstream.pause, upstream.change];
    const ofHeld = [upstream.sendAllAgain, upstream.setAllAside, say(upstream.sendTheseAgain, { n: 2 })];
    expect(seen).toEqual(expect.arrayContaining([...ofTheLine, ...ofHeld, tills.newTill, tills.takeOver]));
    seen.length = 0;
    await page.goto(`${gateway.consoleUrl}/records/1`);
    await button(page.getByRole('dialog'), en.record.sendAgain).waitFor();
    await tryButtons();
    expect(seen).toEqual([en.record.sendAgain, en.record.setAsideAct]);
    expect(changes).toEqual([]);

    // Disabled controls say why, and a clerk cannot change any shop setting.
    await page.goto(`${gateway.consoleUrl}/upstream`);
    await button(page, en.upstream.pause).focus();
    await page.getByRole('tooltip', { name: en.app.managerOnly }).waitFor();
    await page.goto(`${gateway.consoleUrl}/settings`);
    await page.getByText(en.settings.looksOnly).waitFor();
    const ownPassword = page.getByLabel(en.settings.newPassword); // a clerk may change the own password
    for (const field of await page.getByRole('group').filter({ hasNot: ownPassword }).getByRole('textbox').all())
      expect(await field.getAttribute('readonly')).not.toBeNull();
    for (const field of await page.getByRole('checkbox').all()) expect(await field.isDisabled()).toBe(true);
  });

  test('after five wrong passwords the user must wait, even with the right one', async () => {
    const body = { name: 'Ann', password: 'not the password' };
    for (let attempt = 1; attempt <= 5; attempt++)
      expect((await windowOf(gateway, undefined).send('POST', '/api/session', body)).status).toBe(401);
    const page = await openPage();
    await page.goto(gateway.consoleUrl);
    await signIn(page, 'Ann');
    await page.getByText(en.problem.sign_in_limited).waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
  });
});
