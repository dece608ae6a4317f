// The first run of the console: every question, a reload at every step, and the users who never see it.

import type { Page } from 'playwright';
import { describe, expect, onTestFinished, test } from 'vitest';

import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import { PASSWORD, windowOf, addUser } from '../../support/console.ts';
import { postBody } from '../../support/http-call.ts';
import { openBareGateway, openTestGateway } from '../../support/open-gateway.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';
import {
  assertLooksRight,
  button,
  enterAs,
  hasBrowser,
  keepPicture,
  like,
  type Look,
  openPage,
  say,
} from './browser.ts';
import { listActsOf, saleOf } from './shop.ts';

const NAME = 'Ann de Boer';

async function openFirstRun(look: Look = 'desktop', locale = 'en-GB') {
  const gateway = await openBareGateway();
  onTestFinished(() => gateway.close());
  const page = await openPage(look, { locale, timezoneId: 'Europe/Amsterdam' });
  await page.goto(gateway.createLink());
  await page.getByRole('heading', { level: 2 }).waitFor();
  return { gateway, page };
}

/** Waits for a page of the first run. */
const shows = (page: Page, title: string, values: Record<string, string> = {}): Promise<void> =>
  page.getByRole('heading', { name: say(title, values) }).waitFor();

/** Reloads the page, which must then show the same title again. */
async function reload(page: Page, title: string, values: Record<string, string> = {}): Promise<void> {
  await shows(page, title, values);
  await page.reload();
  await shows(page, title, values);
}

describe.skipIf(!hasBrowser)('the first run', () => {
  test('survives a reload at every step, makes one key, and leads to the first record', async () => {
    const { gateway, page } = await openFirstRun();
    const upstream = await openStandIn();
    onTestFinished(() => upstream.close());
    await page.getByText(like(en.welcome.step, { n: 1 })).waitFor();
    const zone = page.getByRole('combobox', { name: en.welcome.timeZone });
    expect(await zone.inputValue()).toBe('Europe/Amsterdam'); // the zone of the browser
    await assertLooksRight(page, 'first run, desktop');
    await button(page, en.welcome.makeKey).click();
    await page.getByText(en.welcome.storeMissing).waitFor();
    await page.getByText(en.welcome.runsOnMissing).waitFor();
    await page.getByLabel(en.welcome.storeName).fill('Corner Bakery');
    await zone.fill('Lisbon');
    await page.getByRole('option', { name: 'Europe/Lisbon' }).click();
    await page.getByRole('combobox', { name: en.welcome.dayStartsAt }).fill('04:00');
    await page.getByRole('option', { name: '04:00' }).click();
    await page.getByLabel(en.welcome.tillName).fill('Counter');
    await page.getByLabel(en.welcome.production).check();
    await page.getByLabel(en.welcome.runsOnThis).check();
    await button(page, en.welcome.makeKey).click();
    const shown = page.getByRole('main').getByText(/^prod_\S+$/);
    const secret = await shown.innerText();
    await reload(page, en.welcome.keyTitle, { till: 'Counter' });
    expect(await shown.innerText()).toBe(secret);
    await button(page, `${en.app.copy}: ${en.tills.key}`).click();
    await button(page, en.welcome.continue).click();

    await reload(page, en.welcome.upstreamTitle);
    await button(page, en.welcome.back).click();
    await shows(page, en.welcome.keyTitle, { till: 'Counter' });
    await button(page, en.welcome.continue).click(); // the key is not lost by this click, so the page asks for no confirmation
    await page.getByLabel(en.upstream.url, { exact: true }).fill(upstream.url);
    await page.getByRole('textbox', { name: en.upstream.token }).fill('prod_upstream');
    await button(page, en.upstream.test).click();
    await page.getByRole('status').getByRole('listitem').first().waitFor();
    await button(page, en.app.save).click();

    await reload(page, en.welcome.peopleTitle);
    await page.getByLabel(en.welcome.peopleName).fill(NAME);
    const password = page.getByRole('textbox', { name: en.welcome.peoplePassword });
    await password.fill('short');
    await button(page, en.welcome.peopleAdd).click();
    await page.getByText(en.fault.weak_password).waitFor();
    await assertLooksRight(page, 'first run, people');
    await password.fill(PASSWORD);
    const signedIn = (name: string) => page.getByTitle(`${name}, ${en.people.manager}`).waitFor();
    await signedIn(en.people.noName);
    await button(page, en.welcome.peopleAdd).click();
    await signedIn(NAME);

    await reload(page, en.welcome.waitingFor, { till: 'Counter' });
    await page.getByText(say(en.join.waiting, { till: 'Counter' })).waitFor();
    await page.getByRole('main').getByText(en.join.tryTitle).waitFor();
    await assertLooksRight(page, 'first run, waiting for a till');
    // A sale that the till makes with another key says nothing about the new key. So the card of the new key stays.
    const other = { administration: 'Corner Bakery', mode: 'production', label: 'Counter', interface: 'both' } as const;
    await gateway.store.setup.createKey({ ...other, isAdopted: false, secret: 'prod_another-key-of-it' }, 'test');
    const isShown = page.waitForResponse(
      async (answer) => answer.url().includes('/api/records?') && (await answer.text()).includes('"externalId":"S-0"'),
    );
    expect((await postBody(gateway.apiUrl, 'prod_another-key-of-it', saleOf('S-0', '1.50'))).status).toBe(201);
    await isShown;
    // The key was already copied on an earlier page, so no warning appears.
    expect(await page.getByText(en.tills.shownOnce).count()).toBe(0);
    expect((await postBody(gateway.apiUrl, secret, saleOf('S-1', '1.50'))).status).toBe(201);
    await shows(page, en.welcome.arrived);
    await page.getByText(like(en.join.arrived, { till: 'Counter' })).waitFor();
    await assertLooksRight(page, 'first run, arrived');
    await upstream.waitUntil(({ records }) => records === 2);
    await page.getByRole('link', { name: en.welcome.seeIt }).click();
    await page.getByRole('link', { name: 'S-1' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret);

    const [store] = await gateway.store.setup.listAdministrations();
    expect(store).toMatchObject({ name: 'Corner Bakery', timeZone: 'Europe/Lisbon', dayStartsAt: 240 });
    const answer = await windowOf(gateway, undefined).send('POST', '/api/session', { name: NAME, password: PASSWORD });
    expect(answer.json()).toMatchObject({ role: 'manager' });
    expect((await listActsOf(gateway, 'console')).map((act) => act.split(' ').slice(0, 2).join(' '))).toEqual([
      'create administration',
      'create key',
      'set upstream',
      'add user',
    ]);
  });

  test('each step can be skipped, and a record still arrives', async () => {
    const { gateway, page } = await openFirstRun();
    await button(page, en.welcome.withoutTill).click();
    await page.getByText(en.welcome.upstreamNeedsStore).waitFor();
    await page.getByRole('link', { name: en.welcome.finish }).click();
    await shows(page, en.welcome.noStore);
    await page.getByRole('link', { name: en.welcome.begin }).click();
    await button(page, en.welcome.backToStore).click();
    await page.getByLabel(en.welcome.storeName).fill('Corner Bakery');
    await button(page, en.welcome.withoutTill).click();
    // the page still has the name of the store
    await page.getByText(like(en.welcome.upstreamFor, { store: 'Corner Bakery' })).waitFor();
    await button(page, en.welcome.back).click();
    await page.getByLabel(en.welcome.runsOnThis).check();
    await button(page, en.welcome.makeKey).click();
    const secret = await page
      .getByRole('main')
      .getByText(/^test_\S+$/)
      .innerText();
    await button(page, `${en.app.copy}: ${en.tills.key}`).click();
    await page.getByRole('banner').getByText(en.app.test, { exact: true }).waitFor();
    await button(page, en.welcome.continue).click();
    await button(page, en.welcome.skip).click();
    await shows(page, en.welcome.peopleTitle);
    await button(page, en.welcome.skip).click();
    await shows(page, en.welcome.waitingFor, { till: say(en.tills.tillExample, { n: 1 }) });
    expect((await postBody(gateway.apiUrl, secret, saleOf('S-1', '1.50'))).status).toBe(201);
    await shows(page, en.welcome.arrived);
    await page.getByRole('link', { name: en.welcome.toToday }).click();
    await page.getByRole('heading', { name: say(en.today.noUpstream_one, { n: 1 }) }).waitFor();
  });

  test('ends with a warning if the key was neither copied nor printed, on every way out', async () => {
    const { page } = await openFirstRun();
    await page.getByLabel(en.welcome.storeName).fill('Corner Bakery');
    await page.getByLabel(en.welcome.runsOnThis).check();
    await button(page, en.welcome.makeKey).click();
    await button(page, en.welcome.continue).click();
    await button(page, en.welcome.skip).click();
    await button(page, en.welcome.skip).click();
    await page.getByText(en.tills.shownOnce).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: en.app.tills }).click();
    await page.getByText(en.tills.notTaken).waitFor();
    expect(new URL(page.url()).pathname).toBe('/welcome');
    await page.getByRole('navigation').getByRole('link', { name: en.app.tills }).click();
    await page.getByRole('heading', { level: 1, name: en.app.tills }).waitFor();
  });

  test('in a new tab it makes no second key for a till that has one', async () => {
    const { gateway, page } = await openFirstRun();
    await page.getByLabel(en.welcome.storeName).fill('Corner Bakery');
    await page.getByLabel(en.welcome.runsOnThis).check();
    await button(page, en.welcome.makeKey).click();
    await shows(page, en.welcome.keyTitle, { till: say(en.tills.tillExample, { n: 1 }) });

    const other = await page.context().newPage();
    await other.goto(`${gateway.consoleUrl}/welcome`);
    await button(other, en.welcome.continue).click(); // the store already has a name
    await shows(other, en.welcome.tillKnown, { till: say(en.tills.tillExample, { n: 1 }) });
    await assertLooksRight(other, 'first run, known till');
    await button(other, en.welcome.continue).click();
    await shows(other, en.welcome.upstreamTitle);
    expect(await gateway.store.setup.listKeys()).toHaveLength(1);
  });

  test('takes no focus from the palette that was opened while it loads', async () => {
    const gateway = await openBareGateway();
    onTestFinished(() => gateway.close());
    const page = await openPage();
    const { promise: typed, resolve: load } = Promise.withResolvers<void>();
    await page.route('**/welcome-screen-*.js', (route) => typed.then(() => route.continue()));
    await page.goto(gateway.createLink());
    await page.getByRole('navigation').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('setti');
    load();
    await page.getByText(en.welcome.firstTitle).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: en.app.settings }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings');
  });

  test('never appears to a clerk', async () => {
    const gateway = await openTestGateway();
    onTestFinished(() => gateway.close());
    await addUser(gateway, 'Ann', 'clerk');
    const page = await enterAs(gateway, 'Ann');
    await shows(page, en.today.first);
    await page.getByText(en.today.askManager).waitFor();
    expect(await page.getByRole('link', { name: en.today.setUpTill }).count()).toBe(0);
    await page.goto(`${gateway.consoleUrl}/welcome`);
    await shows(page, en.today.first);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test.each([
    ['en', en, 'phone'],
    ['nl', nl, 'phone, dark'],
    ['de', de, 'desktop'],
  ] as const)('looks right at every step, in %s', async (language, words, look) => {
    const { page } = await openFirstRun(look, language);
    const picture = (name: string): Promise<void> => keepPicture(page, `first run, ${name}, ${language}, ${look}`);
    const next = (name: string): Promise<void> => button(page, name).click();
    await page.getByLabel(words.welcome.storeName).fill('Corner Bakery');
    await assertLooksRight(page, `first run, store, ${language}, ${look}`);
    await next(words.welcome.withoutTill);
    await shows(page, words.welcome.upstreamTitle);
    await picture('upstream');
    await next(words.welcome.skip);
    await shows(page, words.welcome.peopleTitle);
    await assertLooksRight(page, `first run, people, ${language}, ${look}`);
    await next(words.welcome.skip);
    await shows(page, words.welcome.waiting);
    await picture('waiting');
  });
});
