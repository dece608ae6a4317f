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
import {
  assertLooksRight,
  button,
  goTo,
  hasBrowser,
  keepPicture,
  like,
  openPage,
  say,
  SCREENS,
  signIn,
} from './browser.ts';
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
  afterAll(() => gateway.close());

  test('a clerk sees every screen, and no act that only managers may do', async () => {
    const page = await openPage();
    await page.goto(gateway.consoleUrl);
    await page.getByRole('heading', { name: en.signIn.title }).waitFor();
    await assertLooksRight(page, 'sign in, desktop');
    await signIn(page, 'Ann');
    await page.getByRole('navigation').waitFor();
    expect(page.url()).toMatch(/^https:/);
    const changes: string[] = [];
    page.on('request', (request) => {
      // Excludes the call that notes who has seen a task. The console sends it also for people who may not change anything.
      if (request.method() !== 'GET' && !request.url().endsWith('/api/todo/seen')) changes.push(request.url());
    });
    const { upstream, tills, record, today, app } = en;
    const ofManagers = [
      upstream.tryNow,
      upstream.pause,
      upstream.change,
      upstream.sendAllAgain,
      upstream.setAllAside,
      say(upstream.sendTheseAgain, { n: 2 }),
      tills.newTill,
      tills.takeOver,
      today.setUpstream,
      app.save,
    ];
    const assertNoActs = async (name: string): Promise<void> => {
      const acts = page.getByRole('main').getByRole('button').or(page.getByRole('main').getByRole('link'));
      const labels = await acts.allInnerTexts();
      expect(labels.filter((label) => ofManagers.includes(label.trim()))).toEqual([]);
      await keepPicture(page, `${name}, clerk`);
    };
    for (const name of SCREENS) {
      await goTo(page, name);
      await page.getByRole('heading', { level: 1, name: en.app[name] }).waitFor();
      await page.getByRole('heading', { level: 2 }).or(page.getByRole('table')).first().waitFor();
      if (name === 'upstream') {
        await page.getByText(upstream.heldAsk).waitFor();
        await page.getByRole('heading', { name: like(upstream.lineDown) }).waitFor();
      }
      if (['upstream', 'tills'].includes(name)) await page.getByText(app.managerOnly).first().waitFor();
      await assertNoActs(name);
    }
    await page.goto(`${gateway.consoleUrl}/welcome`);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await assertNoActs('welcome');
    await page.goto(`${gateway.consoleUrl}/records/1`);
    await page.getByRole('dialog').getByText(record.askManager).waitFor();
    expect(await button(page.getByRole('dialog'), record.sendAgain).count()).toBe(0);
    await keepPicture(page, 'held record, clerk');
    expect(changes).toEqual([]);

    // A clerk cannot change any shop setting.
    await page.goto(`${gateway.consoleUrl}/settings`);
    await page.getByText(en.settings.looksOnly).waitFor();
    const ownPassword = page.getByLabel(en.settings.newPassword); // a clerk may change their own password
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
