// The page Network and its notices, in a real browser: what managers and clerks see and may do, in every look.

import type { Locator, Page } from 'playwright';
import { describe, expect, onTestFinished, test } from 'vitest';

import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import type { SettingView } from '../../../server/contract/setup.ts';
import { type GivenNetwork, openGivenNetwork } from '../../support/console-network.ts';
import { addUser } from '../../support/console.ts';
import { openTestGateway, type TestGateway } from '../../support/open-gateway.ts';
import {
  assertLooksRight,
  button,
  enter,
  enterAs,
  goTo,
  hasBrowser,
  keepPicture,
  like,
  type Look,
  say,
} from './browser.ts';

const { network: words } = en;
const ADDRESS = 'https://192.168.1.20:7410';
const HOUR = 3_600_000;

/** A shop with a manager, a clerk, and this state of its network. */
async function openShop(
  given: GivenNetwork = {},
  isOpen = true,
  settings: readonly SettingView[] = [],
): Promise<TestGateway> {
  const gateway = await openTestGateway({ settings }, undefined, {
    async openConsoleNetwork(store) {
      if (isOpen) await store.network.change({ isOpen }, 'test');
      return openGivenNetwork(store, given);
    },
  });
  onTestFinished(() => gateway.close());
  await addUser(gateway, 'Mia', 'manager');
  await addUser(gateway, 'Ann', 'clerk');
  return gateway;
}

const tillAt = (till: string, address: string, hoursAgo: number) => ({
  till,
  administration: 'Bakery',
  address,
  at: Date.now() - hoursAgo * HOUR,
});

/** A network with every problem. */
const TROUBLED: GivenNetwork = {
  failures: [
    {
      kind: 'failed',
      address: '192.168.1.21:7410',
      detail: 'Another program uses port 7410 there. Stop it.',
      since: Date.now() - HOUR,
    },
  ],
  tillsAtOldAddress: [tillAt('Till 2', 'https://192.168.1.9:7410', 3), tillAt('Kiosk', 'https://192.168.1.9:7410', 30)],
  tillsToTrust: [tillAt('Till 3', ADDRESS, 20)],
  certificate: {
    source: 'files',
    names: ['shop.example.com'],
    expiresAt: Date.now() + 9 * 24 * HOUR,
    fingerprint: 'AB:CD',
  },
  authority: null,
};

const heading = (page: Page, text: string): Locator => page.getByRole('heading', { level: 2, name: text });
const row = (page: Page, title: string): Locator => page.getByRole('group', { name: title, exact: true });

async function openNetworkPage(gateway: TestGateway, look: Look = 'desktop'): Promise<Page> {
  const page = await enter(gateway, look, '/network');
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  return page;
}

describe.skipIf(!hasBrowser)('the page Network', () => {
  test('opens the gateway with one switch, and names the address at once', async () => {
    const gateway = await openShop({}, false);
    const page = await enter(gateway);
    await goTo(page, 'settings');
    await page.getByRole('link', { name: en.settings.openNetwork }).click();
    await heading(page, words.closed).waitFor();
    await page.getByRole('heading', { level: 1, name: en.app.network }).waitFor();
    await assertLooksRight(page, 'network closed, desktop');
    await page.getByText(words.testClosed).waitFor();
    await page.getByRole('switch', { name: words.isClosed }).click();
    await heading(page, say(words.open, { address: ADDRESS })).waitFor();
    expect(await row(page, words.addressesTitle).getByRole('listitem').allInnerTexts()).toEqual([
      ADDRESS,
      'https://192.168.1.21:7410',
      'https://counterfoil.local:7410',
    ]);
    expect((await gateway.store.network.settings()).isOpen).toBe(true);
  });

  test('is the only place for its settings: Settings repeats its sentence and finds it by their names', async () => {
    const settings = ['host', 'consoleHost', 'plainHttp', 'logLevel'].map((name): SettingView => {
      return { name, value: '127.0.0.1', source: 'default' };
    });
    const page = await enter(await openShop({}, true, settings));
    await goTo(page, 'settings');
    await page
      .getByRole('main')
      .getByText(say(words.open, { address: ADDRESS }))
      .waitFor();
    await page.getByText('--log-level').waitFor();
    expect(await page.getByText('127.0.0.1', { exact: true }).count()).toBe(1); // only of logLevel
    await page.getByLabel(en.settings.find).fill('--host');
    await page.getByRole('link', { name: en.settings.openNetwork }).waitFor();
  });

  test('asks before it closes, and says which tills cannot send then', async () => {
    const gateway = await openShop();
    const page = await openNetworkPage(gateway);
    await page.getByRole('switch', { name: words.isOpen }).click();
    const dialog = page.getByRole('dialog', { name: words.closeTitle });
    await dialog.getByText(words.closeMeans).waitFor();
    await button(dialog, en.app.cancel).click();
    expect((await gateway.store.network.settings()).isOpen).toBe(true);
    await page.getByRole('switch', { name: words.isOpen }).click();
    await button(dialog, words.closeDo).click();
    await heading(page, words.closed).waitFor();
  });

  test('limits the gateway to some network connections, and folds those of containers away', async () => {
    const gateway = await openShop();
    const page = await openNetworkPage(gateway);
    const choice = row(page, words.interfacesTitle);
    const connection = (name: string) => choice.getByRole('checkbox', { name: new RegExp(`^${name}`) });
    expect(await connection('docker0').count()).toBe(0);
    await button(choice, say(words.showVirtual_one, { n: 1 })).click();
    await connection('docker0').waitFor();
    expect(await connection('docker0').isChecked()).toBe(false);
    await choice.getByRole('checkbox', { name: words.allInterfaces }).click();
    await connection('wlan0').click();
    await button(choice, en.app.save).click();
    await choice.getByText(en.settings.saved).waitFor();
    expect((await gateway.store.network.settings()).interfaces).toEqual(['eth0']);
    await connection('eth0').click();
    await button(choice, en.app.save).click();
    await choice.getByText(words.chooseOne).waitFor();
    expect((await gateway.store.network.settings()).interfaces).toEqual(['eth0']);
  });

  test('accepts HTTP only after a question that names the risk, and then warns permanently', async () => {
    const gateway = await openShop();
    const page = await openNetworkPage(gateway);
    await page.getByRole('switch', { name: words.plainLabel }).click();
    const dialog = page.getByRole('dialog', { name: words.plainAsk });
    await dialog.getByText(words.plainRisk).waitFor();
    await assertLooksRight(page, 'network plain, asks');
    expect((await gateway.store.network.settings()).allowsPlainHttp).toBe(false);
    await button(dialog, words.plainAllow).click();
    await page.getByText(words.plainOnMeans).waitFor();
    // the page gives this hint only if everything is encrypted
    expect(await page.getByText(words.openHint).count()).toBe(0);
    await page.reload();
    await page.getByText(words.plainOnMeans).waitFor();
    await page.getByRole('switch', { name: words.plainLabel }).click();
    await page.getByText(words.plainOnMeans).waitFor({ state: 'detached' });
  });

  test('opens the console to other machines only after a user exists', async () => {
    const gateway = await openShop();
    for (const name of ['Mia', 'Ann']) await gateway.store.people.remove(name, 'test', true);
    const page = await openNetworkPage(gateway);
    await row(page, words.consoleTitle).getByText(words.consoleNeedsUser).waitFor();
    expect(await page.getByRole('switch', { name: words.consoleClosed }).isDisabled()).toBe(true);
    await addUser(gateway, 'Mia', 'manager');
    await row(page, words.consoleTitle).getByText(words.consoleNeedsUser).waitFor({ state: 'detached' });
    await page.getByRole('switch', { name: words.consoleClosed }).click();
    await row(page, words.consoleTitle).getByText('https://192.168.1.20:7411').waitFor();
  });

  test('tests every address as an outside till does, and says in words what fails', async () => {
    const gateway = await openShop({
      tests: [
        { address: ADDRESS, fault: null },
        {
          address: 'https://counterfoil.local:7410',
          fault: { step: 'resolve', detail: 'counterfoil.local: ENOTFOUND' },
        },
      ],
    });
    const page = await openNetworkPage(gateway);
    const tested = row(page, words.testTitle);
    await button(tested, words.testDo).click();
    await tested.getByText(words.testPartly).waitFor();
    await tested.getByText(words.testAddressFine).waitFor();
    await tested.getByText(words.fault_resolve).waitFor();
    await tested.scrollIntoViewIfNeeded();
    await assertLooksRight(page, 'network test, desktop');
  });

  test('links to the authority on the tills’ port, and shows its fingerprint and end', async () => {
    const page = await openNetworkPage(await openShop());
    const authority = row(page, words.authorityTitle);
    const links = await authority.getByRole('link').evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(links).toEqual(['ca.pem', 'ca.der', 'trust'].map((name) => `http://127.0.0.1:7410/${name}`));
    await authority.getByText(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/).waitFor();
    await authority.getByText(words.fingerprintToCompare).waitFor();
    await row(page, words.certificateTitle).getByText(words.certificateFingerprint).waitFor();
    await authority.getByText(like(words.expires)).waitFor();
  });

  test('says which settings of the gateway decide, and where to change them', async () => {
    const gateway = await openShop({ fixedBy: ['host', 'consoleHost'] }, true, [
      { name: 'plainHttp', value: true, source: 'file' },
    ]);
    const page = await openNetworkPage(gateway);
    await page.getByText('plainHttp = true').waitFor();
    await page.getByText(words.fixedTitle).waitFor();
    await page
      .getByText(like(en.settings.changedBy, { flag: '--host', variable: 'COUNTERFOIL_HOST', name: 'host' }))
      .waitFor();
    for (const each of await page.getByRole('switch').all()) expect(await each.isDisabled()).toBe(true);
    await assertLooksRight(page, 'network fixed, desktop');
  });

  test('a clerk sees everything and can change nothing', async () => {
    const gateway = await openShop();
    const page = await enterAs(gateway, 'Ann', '/network');
    await heading(page, say(words.open, { address: ADDRESS })).waitFor();
    await page.getByText(words.looksOnly).waitFor();
    for (const role of ['switch', 'checkbox'] as const)
      for (const each of await page.getByRole(role).all()) expect(await each.isDisabled()).toBe(true);
    expect(await button(page, words.testDo).count()).toBe(0);
    // a notice at the top of the page says this instead
    expect(await page.getByText(en.app.managerOnly).count()).toBe(0);
    await assertLooksRight(page, 'network, clerk');
  });

  test('is found by the palette', async () => {
    const page = await enter(await openShop());
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('netw');
    await page.getByRole('option', { name: new RegExp(`^${en.app.network}`), selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, say(words.open, { address: ADDRESS })).waitFor();
    expect(new URL(page.url()).pathname).toBe('/network');
  });
});

describe.skipIf(!hasBrowser)('the notices', () => {
  const titles = [
    words.notListening_one,
    like(words.certificateEnds),
    say(words.newAuthority_one, { n: 1 }),
    say(words.oldAddress_other, { n: 2 }),
  ];

  test('tell a manager on every screen the cause, what is safe and what to do', async () => {
    const gateway = await openShop(TROUBLED);
    const page = await enter(gateway);
    for (const name of ['today', 'tills'] as const) {
      await goTo(page, name);
      for (const title of titles) await page.getByText(title).first().waitFor();
    }
    await page
      .getByText(like(words.tillAt, { till: 'Till 2', store: 'Bakery', address: 'https://192.168.1.9:7410' }))
      .waitFor();
    await page.getByText(say(words.oldAddressDo, { address: ADDRESS })).waitFor();
    await assertLooksRight(page, 'network notices, desktop');
    await page.getByRole('link', { name: words.seeNetwork }).first().click();
    await page.getByRole('heading', { level: 1, name: en.app.network }).waitFor();
    await heading(page, say(words.open, { address: ADDRESS })).waitFor();
    // each notice is shown once, because the frame of the console shows no notice on this page
    for (const title of titles) expect(await page.getByText(title).count()).toBe(1);
  });

  test('a closed notice stays closed until its problem changes', async () => {
    const { tillsAtOldAddress = [] } = TROUBLED;
    const given = { tillsAtOldAddress: tillsAtOldAddress.slice(0, 1) };
    const gateway = await openShop(given);
    const page = await enter(gateway);
    const one = page.getByText(say(words.oldAddress_one, { n: 1 }));
    await one.waitFor();
    await button(page, en.app.close).click();
    await one.waitFor({ state: 'detached' });
    await goTo(page, 'tills');
    await page.getByRole('heading', { level: 1, name: en.app.tills }).waitFor();
    expect(await one.count()).toBe(0);
    given.tillsAtOldAddress = [...tillsAtOldAddress];
    await gateway.store.network.change({ isAnnounced: false }, 'test'); // makes the windows of the console refetch
    await page.getByText(say(words.oldAddress_other, { n: 2 })).waitFor();
  });

  test('tell a clerk in one sentence each, and whom to ask', async () => {
    const page = await enterAs(await openShop(TROUBLED), 'Ann');
    for (const title of titles) await page.getByText(title).first().waitFor();
    await page.getByText(words.tellManager).waitFor();
    expect(await page.getByText(say(words.oldAddressDo, { address: ADDRESS })).count()).toBe(0);
    await assertLooksRight(page, 'network notices, clerk');
  });
});

/** True if the page is not wider than the window, so that nobody needs to scroll sideways. */
function isWithinWindow(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
}

describe.skipIf(!hasBrowser)('every look', () => {
  /** Keeps pictures of the whole page, because it is longer than a window. */
  async function look(page: Page, name: string): Promise<void> {
    await assertLooksRight(page, name);
    const size = page.viewportSize();
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    if (size === null) return;
    await page.setViewportSize({ ...size, height });
    await keepPicture(page, `${name}, whole`);
    await page.setViewportSize(size);
  }

  test.each(['desktop', 'phone', 'phone, dark', 'enlarged'] as const)('%s', async (name) => {
    const page = await openNetworkPage(await openShop(), name);
    await page.getByText(words.authorityHelp).waitFor();
    await look(page, `network, ${name}`);
    expect(await isWithinWindow(page)).toBe(true);
  });

  test('with every problem, by day, by night and on a phone', async () => {
    const gateway = await openShop(TROUBLED);
    const page = await openNetworkPage(gateway);
    await look(page, 'network troubled, desktop');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
    await look(page, 'network troubled, dark');
    const phone = await openNetworkPage(gateway, 'phone');
    await look(phone, 'network troubled, phone');
    expect(await isWithinWindow(phone)).toBe(true);
  });

  test.each([
    ['nl', nl],
    ['de', de],
  ])('in %s', async (language, catalogue) => {
    const gateway = await openShop({ ...TROUBLED, certificate: null });
    const page = await enterAs(gateway, 'Mia', '/network', 'desktop', { locale: language });
    await heading(page, say(catalogue.network.open, { address: ADDRESS })).waitFor();
    await look(page, `network, ${language}`);
    const phone = await enterAs(gateway, 'Mia', '/network', 'phone', { locale: language });
    await heading(phone, say(catalogue.network.open, { address: ADDRESS })).waitFor();
    await look(phone, `network, ${language}, phone`);
    expect(await isWithinWindow(phone)).toBe(true);
  });
});
