// Everything that a manager can do in the console, by mouse and keyboard. The tests check the screen, the gateway's data, and
// the manager's name in the log of acts.

import { readFile } from 'node:fs/promises';

import type { Locator } from 'playwright';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import { makeCertificate } from '../../support/certificate.ts';
import { addUser, PASSWORD } from '../../support/console.ts';
import { call, postBody } from '../../support/http-call.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';
import { assertLooksRight, button, enterAs, goTo, hasBrowser, like, say, SCREENS, signIn } from './browser.ts';
import { listActsOf, MANAGER, openShop, saleOf, shareBusyShop } from './shop.ts';

describe.skipIf(!hasBrowser)('tills and keys', () => {
  test('a key is created, shown once, copied and printed, and its till can send', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(page, en.tills.newTill).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(en.tills.tillName).fill('Bar');
    await page.keyboard.press('Enter');

    await dialog.getByText(say(en.tills.keyOf, { till: 'Bar' })).waitFor();
    const secret = await dialog.getByText(/^prod_/).innerText();
    await button(dialog, en.tills.done).click();
    await dialog.getByText(en.tills.notTaken).waitFor();
    for (const key of ['g', 't', 'Control+k']) await page.keyboard.press(key); // the dialog ignores shortcuts, because closing it would lose the till's key
    await button(dialog, `${en.app.copy}: ${en.tills.key}`).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);

    await page.evaluate(() => (window.print = () => document.body.setAttribute('data-printed', '')));
    await button(dialog, en.tills.printCard).click();
    await page.locator('[data-printed]').waitFor();
    await page.emulateMedia({ media: 'print' });
    const card = page.locator('article');
    await card.getByText(secret, { exact: true }).waitFor();
    expect(await card.innerText()).toContain(gateway.apiUrl);
    await page.emulateMedia({ media: 'screen' });
    await button(dialog, en.tills.done).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(secret);

    expect((await postBody(gateway.apiUrl, secret, saleOf('B-1', '2.00'))).status).toBe(201);
    const till = page.getByRole('region', { name: 'Bar' });
    await till.getByText(say(en.tills.sold_one, { n: 1 })).waitFor();
    expect(await listActsOf(gateway, MANAGER)).toEqual([expect.stringMatching(/^create key Bar, key \d+/)]);
    await goTo(page, 'activity');
    await page.getByText(like(en.activity.createKey, { who: en.activity.you, till: 'Bar' })).waitFor();
  });

  test('a new till gets the first free name unless somebody enters one', async () => {
    const { gateway } = await openShop();
    await gateway.makeKey({ mode: 'production', label: say(en.tills.tillExample, { n: 1 }) });
    const page = await enterAs(gateway, MANAGER, '/tills');
    await button(page, en.tills.newTill).click();
    const dialog = page.getByRole('dialog');
    const free = say(en.tills.tillExample, { n: 2 });
    await dialog.getByPlaceholder(free, { exact: true }).waitFor();
    await button(dialog, en.tills.create).click();
    await dialog.getByText(say(en.tills.keyOf, { till: free })).waitFor();
    expect(await listActsOf(gateway, MANAGER)).toEqual([expect.stringContaining(`create key ${free},`)]);
  });

  test('a token without a prefix is adopted for the earlier interface, and the till shows unusual forms', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills');
    const dialog = page.getByRole('dialog');
    await button(page, en.tills.takeOver).click();
    await dialog.getByLabel(en.tills.tillName).fill('Old till');
    const key = dialog.getByRole('textbox', { name: en.tills.adoptKey });
    await key.fill('accessTokenOfTheTill');
    await page.emulateMedia({ reducedMotion: 'reduce' }); // a click would miss a field that moves
    await button(dialog, en.tills.more).click();
    await dialog.getByLabel(en.tills.current).check();
    await button(dialog, en.tills.adopt).click();
    await dialog.getByText(en.tills.onlyEarlier).waitFor();
    await dialog.getByLabel(en.tills.earlier).check();
    await button(dialog, en.tills.adopt).click();
    await dialog.getByText(say(en.tills.adopted, { till: 'Old till' })).waitFor();
    await button(dialog, en.tills.done).click();

    const till = page.getByRole('region', { name: 'Old till' });
    await till.getByText(en.tills.only_earlier).waitFor();
    expect(await till.getByText(en.tills.unusualTitle).count()).toBe(0);
    const headers = { authorization: 'Bearer accessTokenOfTheTill' };
    for (const id of ['O-1', 'O-2']) {
      const url = `${gateway.apiUrl}/v1/transaction?transactionid=${id}&timestamp=2026-11-20T10:00:00.5Z`;
      expect((await call(url, { headers })).status).toBe(200);
    }
    await till.getByText(en.tills.unusualTitle).waitFor();
    await till.getByText(en.tills.form_timestamp_fraction).waitFor();
    await till.getByText(like(en.tills.formTimes_other, { n: 2 })).waitFor();
    await till.getByText('0000-00-00x00:00:00.0x').waitFor();
  });

  test('the key of a till is adopted, replaced and revoked', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills');
    const dialog = page.getByRole('dialog');
    await button(page, en.tills.takeOver).click();
    await dialog.getByLabel(en.tills.tillName).fill('Terrace');
    const key = dialog.getByRole('textbox', { name: en.tills.adoptKey });
    await key.fill('test_a-key-of-the-other-mode');
    await button(dialog, en.tills.adopt).click();
    await dialog.getByText(say(en.tills.otherMode, { mode: en.tills.production })).waitFor();
    await key.fill('prod_a-key-that-it-has-already');
    await button(dialog, en.tills.adopt).click();
    await dialog.getByText(say(en.tills.adopted, { till: 'Terrace' })).waitFor();
    await button(dialog, en.tills.done).click();
    const send = (secret: string, id: string) => postBody(gateway.apiUrl, secret, saleOf(id, '2.00'));
    expect((await send('prod_a-key-that-it-has-already', 'T-1')).status).toBe(201);

    const till = page.getByRole('region', { name: 'Terrace' });
    const acts = till.getByRole('button', { name: like(en.tills.actsOf) });
    await acts.click();
    await page.getByRole('menuitem', { name: en.tills.rotate }).click();
    await dialog.getByLabel(en.tills.grace_hour).check();
    await button(dialog, en.tills.rotateDo).click();
    const secret = await dialog.getByText(/^prod_/).innerText();
    await button(dialog, `${en.app.copy}: ${en.tills.key}`).click();
    await button(dialog, en.tills.done).click();
    await till.getByText(like(en.tills.ending)).waitFor();
    expect((await send(secret, 'T-2')).status).toBe(201);
    expect((await send('prod_a-key-that-it-has-already', 'T-3')).status).toBe(201);
    await till.getByText(like(en.tills.stillUsed)).waitFor();

    await acts.last().click();
    await page.getByRole('menuitem', { name: en.tills.revoke }).click();
    const typed = dialog.getByLabel(say(en.tills.revokeType, { till: 'Terrace' }));
    await typed.fill('Terace');
    await button(dialog, en.tills.revokeDo).click();
    await dialog.getByText(say(en.tills.revokeWrong, { till: 'Terrace' })).waitFor();
    await typed.fill('Terrace');
    await button(dialog, en.tills.revokeDo).click();
    await till.getByText(say(en.tills.showEnded_one, { n: 1 })).click();
    await till.getByRole('listitem').getByText(like(en.tills.ended)).waitFor();
    await expect.poll(async () => (await send('prod_a-key-that-it-has-already', 'T-4')).status).toBe(401);

    const done = await listActsOf(gateway, MANAGER);
    expect(done.map((act) => act.replace(/ Terrace.*/, ''))).toEqual(['adopt key', 'rotate key', 'revoke key']);
    await goTo(page, 'activity');
    for (const act of [en.activity.adoptKey, en.activity.rotateKey, en.activity.revokeKey])
      await page.getByText(like(act, { who: en.activity.you, till: 'Terrace' })).waitFor();
  });
});

describe.skipIf(!hasBrowser)('the upstream', () => {
  test('its address and key are tested until they are right and then set; waiting records are sent there', async () => {
    const { gateway, upstream, sell } = await openShop({ isForwarding: false, tokens: { prod_right: 'production' } });
    await sell('S-1', 'S-2');
    const page = await enterAs(gateway, MANAGER, '/upstream');
    await page.getByText(say(en.upstream.noUpstream_other, { n: 2 })).waitFor();
    const url = page.getByLabel(en.upstream.url, { exact: true });
    const token = page.getByRole('textbox', { name: en.upstream.token });
    const check = async (address: string, key: string): Promise<void> => {
      await url.fill(address);
      await token.fill(key);
      await button(page, en.upstream.test).click();
    };
    const failed = (step: string) =>
      page.getByRole('listitem').filter({ hasText: step }).locator('svg.lucide-circle-alert');

    await button(page, en.upstream.test).click();
    await page.getByText(en.upstream.urlMissing).waitFor();
    await check('https://nobody.invalid', 'prod_right');
    await page.getByText(en.upstream.checkFailed).waitFor();
    await failed(en.upstream.step_name).waitFor();
    await check('http://127.0.0.1:1', 'prod_right');
    await failed(en.upstream.step_connection).waitFor();
    const signedByItself = await openStandIn({ tls: makeCertificate() });
    onTestFinished(() => signedByItself.close());
    await check(signedByItself.url, 'prod_right');
    await failed(en.upstream.step_certificate).waitFor();
    await page.getByText(like(en.check.not_trusted)).waitFor();
    await check(upstream.url, 'prod_wrong');
    await failed(en.upstream.step_key).waitFor();
    await upstream.setScript('404');
    await check(upstream.url, 'prod_right');
    await failed(en.upstream.step_path).waitFor();
    await page.getByText(en.check.interface_elsewhere).waitFor();
    await upstream.setScript('accept');
    await button(page, en.upstream.test).click();
    await page.getByText(en.upstream.checkFine).waitFor();
    expect(upstream.summary().records).toBe(0);

    await button(page, en.app.save).click();
    await page.getByText(en.upstream.savedTries).waitFor();
    await upstream.waitUntil(({ records }) => records === 2);
    await page.getByText(en.upstream.allUpstream, { exact: true }).waitFor();
    expect(await page.content()).not.toContain('prod_right');

    // If the new address differs only in its path, the upstream's key is kept.
    await button(page, en.upstream.change).click();
    await url.fill(`${upstream.url}/elsewhere`);
    await button(page, en.app.save).click();
    await page.getByText(`${upstream.url}/elsewhere`).waitFor();
    expect(await listActsOf(gateway, MANAGER)).toEqual([
      `set upstream ${upstream.url}`,
      `set upstream ${upstream.url}/elsewhere`,
    ]);
    await goTo(page, 'activity');
    await page
      .getByText(like(en.activity.setUpstream, { who: en.activity.you }))
      .first()
      .waitFor();
  });

  test('it is paused, resumed, and tried at once after an outage', async () => {
    const { gateway, upstream, sell } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/upstream');
    await button(page, en.upstream.pause).waitFor();
    await button(page, en.upstream.pause).click();
    await page.getByRole('heading', { name: like(en.upstream.paused) }).waitFor();
    await sell('S-1');
    await page.getByText(say(en.upstream.keptHere_one, { n: 1 })).waitFor();
    expect(upstream.summary().records).toBe(0);
    await button(page, en.upstream.resume).click();
    await upstream.waitUntil(({ records }) => records === 1);
    await page.getByRole('heading', { name: en.upstream.allUpstream }).waitFor();

    await upstream.setScript('down');
    await sell('S-2');
    await page.getByRole('heading', { name: like(en.upstream.lineDown) }).waitFor();
    await page.getByRole('img', { name: like(en.upstream.brokenAt, { piece: en.upstream.line }) }).waitFor();
    await goTo(page, 'today');
    await page.getByRole('heading', { name: like(en.today.lineDown_one, { n: 1 }) }).waitFor();
    await assertLooksRight(page, 'line down, desktop');
    await goTo(page, 'upstream');
    await upstream.setScript('accept');
    await button(page, en.upstream.tryNow).click();
    await page.getByRole('heading', { name: en.upstream.allUpstream }).waitFor();
    await upstream.setScript('down');
    await sell('S-3');
    await page.getByRole('heading', { name: like(en.upstream.lineDown) }).waitFor();
    expect(await page.getByText(en.upstream.triesNow).count()).toBe(0);
    expect(await listActsOf(gateway, MANAGER)).toEqual(['pause', 'resume', 'try now']);
    await goTo(page, 'activity');
    for (const act of [en.activity.pause, en.activity.resume, en.activity.tryNow])
      await page.getByText(say(act, { who: en.activity.you, store: 'Bakery' })).waitFor();
  });

  test('held records are sent again, one or all of them, or set aside with a reason', async () => {
    const script = 'id=BAD-*: 422 body "The total is missing."; accept';
    const { gateway, upstream, sell } = await openShop({ script });
    await sell('BAD-1', 'BAD-2', 'BAD-3', 'BAD-4', 'GOOD-1');
    const page = await enterAs(gateway, MANAGER, '/upstream');
    const held = (count: number) =>
      page.getByRole('heading', { name: say(en.upstream.heldTitle_other, { n: count }), exact: true });
    await held(4).waitFor();
    await page.getByText(say(en.upstream.said, { said: 'The total is missing.' })).waitFor();

    await upstream.setScript('accept');
    await button(page, `${en.upstream.sendAgain}: BAD-1`).click();
    await held(3).waitFor();
    await page.getByRole('link', { name: 'BAD-1' }).waitFor({ state: 'detached' });
    await upstream.waitUntil(({ records }) => records === 2);

    await button(page, `${en.upstream.setAside}: BAD-2`).click();
    const dialog = page.getByRole('dialog');
    await button(dialog, en.upstream.setAsideDo_one).click();
    await dialog.getByText(en.app.reasonMissing).waitFor();
    await dialog.getByLabel(en.app.reason).fill('a practice sale');
    await button(dialog, en.upstream.setAsideDo_one).click();
    await page.getByText(say(en.upstream.setAsideDone_one, { n: 1 })).waitFor();
    await held(2).waitFor();

    // Sets one record aside on the page of that record, and then sends the record again.
    await page.getByRole('link', { name: 'BAD-3' }).click();
    await button(dialog, en.record.setAsideAct).click();
    await button(dialog, en.record.setAsideNow).click();
    await dialog.getByText(en.record.noReason).waitFor();
    await dialog.getByLabel(en.record.whySetAside).fill('sold twice');
    await button(dialog, en.record.setAsideNow).click();
    await dialog.getByText(say(en.record.reason, { reason: 'sold twice' })).waitFor();
    await button(dialog, en.record.sendAgain).click();
    await dialog.getByText(en.record.answeredAt, { exact: true }).waitFor();
    expect(await dialog.getByText(en.record.sentAgain).count()).toBe(0);

    // Closing the dialog returns to the screen from which it was opened.
    await button(dialog, en.app.close).click();
    await button(page, en.upstream.sendAllAgain).click();
    await page.getByRole('heading', { name: en.upstream.allUpstream }).waitFor();
    expect(upstream.summary().records).toBe(4);
    const setAside = await gateway.store.records.search({
      journalId: 1,
      delivery: 'set aside',
      order: 'newest',
      limit: 9,
    });
    expect(setAside.records.map(({ externalId }) => externalId)).toEqual(['BAD-2']);
    const done = await listActsOf(gateway, MANAGER);
    expect(done.map((act) => act.replace(/1 record: \{.*\}/, '…'))).toEqual([
      'send again …',
      'set aside … a practice sale',
      'set aside … sold twice',
      'send again …',
      'send again …',
    ]);
    await goTo(page, 'activity');
    await page.getByText(like(en.activity.setAside, { who: en.activity.you, reason: 'a practice sale' })).waitFor();
  });
});

describe.skipIf(!hasBrowser)('settings', () => {
  test('a setting of a store is found by a word, changed, and takes effect', async () => {
    const { gateway } = await openShop();
    await gateway.makeKey({ administration: 'Kiosk', mode: 'production' });
    const page = await enterAs(gateway, MANAGER, '/settings');
    const setting = (title: string) => page.getByRole('group', { name: title, exact: true });
    const save = async (title: string): Promise<void> => {
      await button(setting(title), en.app.save).click();
      await setting(title).getByText(en.settings.saved).waitFor();
    };
    const switchTo = async (store: string): Promise<void> => {
      await page.getByRole('button', { name: like(en.app.switchJournal) }).click();
      await page.getByRole('menuitem', { name: `${store} · ${en.app.production}` }).click();
      await expect.poll(() => setting(en.settings.name).getByRole('textbox').inputValue()).toBe(store);
    };
    await setting(en.settings.dayStartsAt).getByRole('combobox').fill('05:00');
    await page.getByRole('option', { name: '05:00' }).click();
    await button(setting(en.settings.dayStartsAt), en.app.save).waitFor();
    await switchTo('Kiosk'); // the switch to another store discards the Bakery’s draft
    expect(await button(page, en.app.save).count()).toBe(0);
    await switchTo('Bakery');
    const zone = setting(en.settings.timeZone).getByRole('combobox');
    await zone.fill('Auckland');
    await page.getByRole('option', { name: 'Pacific/Auckland' }).click();
    await save(en.settings.timeZone);
    await setting(en.settings.dayStartsAt).getByRole('combobox').fill('04:00');
    await page.getByRole('option', { name: '04:00' }).click();
    await save(en.settings.dayStartsAt);
    await setting(en.settings.forwarded).getByRole('checkbox', { name: en.settings.ERROR }).check();
    await save(en.settings.forwarded);
    const customer = setting(en.settings.customer);
    await customer.getByLabel(en.settings.customerName).fill('bakery');
    await button(customer, en.app.save).click();
    await customer.getByText(en.settings.customerBoth).waitFor();
    await customer.getByLabel(en.settings.customerId).fill('1207');
    await save(en.settings.customer);
    await setting(en.settings.versions).getByRole('textbox').fill('v1, v2');
    await save(en.settings.versions);
    const resources = setting(en.settings.resources).getByRole('textbox');
    await resources.fill('transaction, refund:a b');
    await button(setting(en.settings.resources), en.app.save).click();
    await setting(en.settings.resources).getByText(en.fault.resource).waitFor();
    await resources.fill('transaction, refund:refundid');
    await save(en.settings.resources);
    await setting(en.settings.name).getByRole('textbox').fill('Kiosk');
    await button(setting(en.settings.name), en.app.save).click();
    await setting(en.settings.name).getByText(en.fault.known).waitFor();
    await setting(en.settings.name).getByRole('textbox').fill('Corner');
    await button(setting(en.settings.name), en.app.save).click();
    await page
      .getByRole('button', { name: like(en.app.switchJournal, {}) })
      .getByText('Corner')
      .waitFor();

    const [bakery] = await gateway.store.setup.listAdministrations();
    expect(bakery).toMatchObject({
      name: 'Corner',
      timeZone: 'Pacific/Auckland',
      dayStartsAt: 240,
      forwarded: ['NEW', 'ERROR'],
      customer: { name: 'bakery', id: '1207' },
      versions: ['v1', 'v2'],
      resources: [
        { name: 'transaction', idParameter: 'transactionid' },
        { name: 'refund', idParameter: 'refundid' },
      ],
    });
    await page.getByLabel(en.settings.find).fill('bakery 1207');
    await page.getByText(en.settings.notFound).waitFor();
    await page.getByLabel(en.settings.find).fill('time zone');
    await zone.waitFor();
    expect(await page.getByRole('group').count()).toBeLessThan(4);
    expect(await listActsOf(gateway, MANAGER)).toHaveLength(7);
    await goTo(page, 'activity');
    await page
      .getByText(like(en.activity.changeAdministration, { who: en.activity.you, store: 'Bakery' }))
      .nth(5)
      .waitFor();
  });

  test('the appearance is chosen for this browser and remembered', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/settings');
    const scheme = page.locator('html');
    expect(await scheme.getAttribute('data-mantine-color-scheme')).toBe('light');
    await page.getByText(en.settings.dark, { exact: true }).click();
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    await page.reload();
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    const choose = async (name: string, { settings: { language } }: typeof de): Promise<void> => {
      await page.getByRole('group', { name: language }).getByRole('combobox').click();
      await page.getByRole('option', { name }).click();
    };
    const title = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
    await choose('Deutsch', en);
    await title(de.app.settings).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await choose('Nederlands', de);
    await title(nl.app.settings).waitFor();
    await page.reload();
    await title(nl.app.settings).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('nl');
    expect(await listActsOf(gateway, MANAGER)).toEqual([]);
  });

  test('the list of users follows each change, and a removed user is signed out', async () => {
    const { gateway } = await openShop();
    await addUser(gateway, 'Ann', 'clerk');
    const [page, anns] = await Promise.all([enterAs(gateway, MANAGER, '/settings'), enterAs(gateway, 'Ann')]);
    const users = page.getByRole('group', { name: en.settings.users });
    await users.getByText('Ann').waitFor();
    await addUser(gateway, 'Bob', 'clerk');
    await users.getByText('Bob').waitFor();
    await gateway.store.people.remove('Ann', MANAGER);
    await users.getByText('Ann').waitFor({ state: 'detached' });
    await anns.getByText(en.signIn.ended_removed).waitFor();
    await signIn(anns, 'Ann');
    await anns.getByText(en.problem.sign_in_failed).waitFor();
    await signIn(anns, 'Bob', PASSWORD);
    await anns.getByRole('navigation').waitFor();
    await goTo(page, 'activity');
    await page.getByText(say(en.activity.removeUser, { who: en.activity.you, name: 'Ann' })).waitFor();
    expect(await listActsOf(gateway, MANAGER)).toEqual(['remove user Ann']);
  });
});

describe.skipIf(!hasBrowser)('records', () => {
  const getShop = shareBusyShop();
  beforeAll(async () => {
    const { gateway } = getShop();
    await postBody(gateway.apiUrl, gateway.test.secret, saleOf('TRY-1', '1'));
    await postBody(gateway.apiUrl, gateway.production.secret, saleOf('=1+1', '1'));
  });

  test('filtered records are exported, and a spreadsheet executes nothing in the file', async () => {
    const page = await enterAs(getShop().gateway, MANAGER, '/records');
    const download = async (link: Locator): Promise<string[]> => {
      const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
      expect(file.suggestedFilename()).toMatch(/^Bakery \d{4}-\d\d-\d\d( all| ERROR)?\.csv$/);
      return (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    };
    const sales = page.getByRole('link', { name: en.export.sales });
    const repeats = (await download(sales)).slice(1).filter((row) => !row.includes(',NEW,'));
    expect(repeats).toEqual([]);
    await button(page, en.export.more).click();
    const [head, ...rows] = await download(page.getByRole('menuitem', { name: en.export.all }));
    expect(head).toContain('record_id,external_id,type,till');
    expect(rows).toHaveLength(15);
    expect(rows.find((row) => row.includes('=1+1'))).toMatch(/^\d+,'=1\+1,sale,Counter,/);
    await button(page, en.records.status).click();
    await page.getByRole('menuitem', { name: 'ERROR' }).click();
    await page.getByRole('heading', { name: say(en.records.newest_one, { n: 1 }), exact: true }).waitFor();
    const shown = page.getByRole('link', { name: en.export.shown });
    expect((await download(shown)).slice(1)).toEqual([expect.stringContaining('S-4,sale,Counter,current,ERROR')]);
  });

  test('an id prefix finds records, filters are in the address, and "back" works', async () => {
    const page = await enterAs(getShop().gateway, MANAGER);
    const rows = page.getByRole('table', { name: en.records.list }).getByRole('link');
    await page.getByRole('link', { name: new RegExp(`^13\\s*${en.today.saleCount_other}`) }).click();
    await expect.poll(() => rows.count()).toBe(13);
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('14'); // 13 records and the heading row
    const search = page.getByRole('textbox', { name: en.records.search });
    await search.fill('S-1');
    await expect.poll(() => rows.allInnerTexts()).toEqual(['S-1', 'S-10', 'S-11', 'S-12']);
    await expect.poll(() => new URL(page.url()).searchParams.get('id')).toBe('S-1');
    await button(page, en.records.clearSearch).click();
    await button(page, en.records.till).click();
    await page.getByRole('menuitem', { name: 'Counter' }).click();
    await button(page, en.records.delivery).click();
    await page.getByRole('menuitem', { name: en.delivery.held, exact: true }).click();
    await page.getByText(en.records.noMatch).waitFor();
    expect(new URL(page.url()).searchParams.get('delivery')).toBe('held');
    await button(page, say(en.records.remove, { name: en.records.delivery })).click();
    await expect.poll(() => rows.count()).toBe(13);

    // The address holds the filter, so "back" shows the same records.
    const address = page.url();
    await rows.first().click();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).toBe(address);
    await page.goBack();
    await page.getByRole('heading', { name: like(en.today.allUpstream_other) }).waitFor();
    await page.goForward();
    await expect.poll(() => rows.count()).toBe(13);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(13);
    expect(page.url()).toBe(address);
  });

  test('an opened conflict shows the difference, its time, and the record that counts', async () => {
    const page = await enterAs(getShop().gateway, MANAGER, '/records?status=ERROR');
    await page.getByRole('link', { name: 'S-4' }).click();
    const dialog = page.getByRole('dialog');
    const sentence = like(en.record.changed, { name: 'total', original: '4.50', resent: '4.05', till: 'Counter' });
    const said = await dialog.getByText(sentence).innerText();
    expect(said).toContain(`${en.record.countsDelivered} ${en.record.kept}`);
    await assertLooksRight(page, 'conflict, desktop');
    await dialog.getByText(en.record.openFirst).click();
    await dialog.getByText(say(en.record.repeats_one, { n: 1 })).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: say(en.records.newest_one, { n: 1 }), exact: true }).waitFor();
  });

  test('production and test records never mix, and every screen marks test mode clearly', async () => {
    const page = await enterAs(getShop().gateway, MANAGER, '/records');
    await page.getByRole('link', { name: 'S-12' }).waitFor();
    const test = page.getByRole('banner').getByText(en.app.test, { exact: true });
    expect(await test.count()).toBe(0);
    await page.getByRole('button', { name: new RegExp(`^${en.app.switchJournal}`) }).click();
    await page.getByRole('menuitem', { name: `Bakery · ${en.app.testMode}` }).click();
    await page.getByRole('link', { name: 'TRY-1' }).waitFor();
    expect(await page.getByRole('link', { name: 'S-12' }).count()).toBe(0);
    for (const place of SCREENS) {
      await goTo(page, place);
      await page.getByRole('heading', { level: 1, name: en.app[place] }).waitFor();
      await test.waitFor();
      await page.locator('.test-band').waitFor();
    }
    await page.getByRole('button', { name: new RegExp(`^${en.app.switchJournal}`) }).click();
    await page.getByRole('menuitem', { name: `Bakery · ${en.app.production}` }).click();
    await test.waitFor({ state: 'detached' });
  });

  test('on return the same records are shown, and no others are loaded', async () => {
    const { consoleUrl, test: key } = getShop().gateway;
    const looked = String(key.journalId);
    const page = await enterAs({ consoleUrl }, MANAGER, `/?journal=${looked}`);
    const band = page.getByRole('banner').getByText(en.app.test, { exact: true });
    await band.waitFor();
    const loaded: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/api/overview')) loaded.push(searchParams.get('journal'));
    });
    await page.goto(`${consoleUrl}/records?id=TRY#search`);
    await page.getByRole('link', { name: 'TRY-1' }).waitFor();
    await page.goto(consoleUrl);
    await band.waitFor();
    expect([...new Set(loaded)]).toEqual([looked]);
    expect(new URL(page.url()).searchParams.get('journal')).toBe(looked);
  });

  test('the keyboard alone reaches every screen, searches, and moves through the list', async () => {
    const page = await enterAs(getShop().gateway, MANAGER);
    const { keyboard } = page;
    const title = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
    await title(en.app.today).waitFor();
    await keyboard.press('?');
    await page.getByRole('dialog').getByText(en.app.nextInList).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const letters = { u: 'upstream', k: 'tills', a: 'activity', s: 'settings', f: 'refused', t: 'today', r: 'records' };
    for (const [letter, name] of Object.entries(letters)) {
      await keyboard.press('g');
      await keyboard.press(letter);
      await title(en.app[name as 'today']).waitFor();
      await expect.poll(() => page.title()).toBe(`${en.app[name as 'today']} · ${en.app.product}`);
    }
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await page.getByRole('link', { name: 'S-12' }).waitFor();
    await keyboard.press('j');
    await expect.poll(focused).toBe('=1+1'); // the focus moves to the first row of the list
    await keyboard.press('j');
    await keyboard.press('k');
    await keyboard.press('k');
    const first = await focused();
    await keyboard.press('Enter');
    await page
      .getByRole('dialog')
      .getByText(first ?? '', { exact: true })
      .first()
      .waitFor();
    const opened = page.url();
    expect(opened).toMatch(/records\/\d+/);
    await keyboard.press('j');
    await expect.poll(() => page.url()).not.toBe(opened);
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await keyboard.press('/');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await keyboard.type('S-12');
    await expect.poll(() => page.getByRole('table').getByRole('link').allInnerTexts()).toEqual(['S-12']);
    await keyboard.press('Enter');
    await expect.poll(focused).toBe('S-12');
  });
});
