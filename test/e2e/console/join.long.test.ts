// The join card of a till in a real browser: on the screen, on paper, and while it waits for the first sale.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import type { Locator, Page } from 'playwright';
import { describe, expect, onTestFinished, test } from 'vitest';

import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import type { NetworkView } from '../../../server/contract/network.ts';
import { openGivenNetwork } from '../../support/console-network.ts';
import { addUser } from '../../support/console.ts';
import { call, postBody } from '../../support/http-call.ts';
import { openTestGateway } from '../../support/open-gateway.ts';
import {
  assertLooksRight,
  button,
  enterAs,
  hasBrowser,
  keepPicture,
  like,
  type Look,
  LOOKS,
  say,
  SCREENSHOTS,
} from './browser.ts';
import { MANAGER, openShop, saleOf } from './shop.ts';

/** The tills screen in test mode. */
const TEST_TILLS = '/tills?journal=2';
const FINGERPRINT = Array.from({ length: 32 }, (_, i) => (i * 7).toString(16).padStart(2, '0').toUpperCase()).join(':');
const OPEN_NETWORK = {
  settings: { isOpen: true, interfaces: null, allowsPlainHttp: false, isConsoleOpen: false, isAnnounced: null },
  fixedBy: [],
  interfaces: [{ name: 'eth0', addresses: ['192.168.1.20'], isVirtual: false, isUsed: true }],
  addresses: ['https://192.168.1.20:7410'],
  names: ['counterfoil.local'],
  consoleAddresses: [],
  localAddress: 'http://127.0.0.1:7410',
  announcement: { state: 'off' },
  certificate: { source: 'own', names: ['192.168.1.20'], expiresAt: 2e12, fingerprint: FINGERPRINT },
  authority: { fingerprint: FINGERPRINT, file: '/data/ca.pem', createdAt: 1e12, expiresAt: 2e12 },
  tillsAtOldAddress: [],
  tillsToTrust: [],
  failures: [],
} satisfies NetworkView;

/** Makes the gateway of a page say that its network is open at an address that this machine does not have. */
async function openNetwork(page: Page): Promise<void> {
  await page.route('**/api/network', (route) => route.fulfill({ json: OPEN_NETWORK }));
}

/** Creates a key in the dialog of the tills screen and returns the dialog and the key. */
async function createKey(page: Page, texts: typeof en | typeof nl | typeof de = en) {
  await button(page, texts.tills.newTill).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(texts.tills.tillName).fill('Bar');
  await page.keyboard.press('Enter');
  const secret = await dialog.getByText(/^(prod|test)_\S+$/).innerText();
  return { dialog, secret };
}

/** The text of the QR code in a picture. Undefined if this machine lacks the program that reads QR codes. */
function readQr(picture: string): string | undefined {
  const { stdout, error } = spawnSync('zbarimg', ['--raw', '--quiet', '-Sdisable', '-Sqrcode.enable', picture], {
    encoding: 'utf8',
  });
  if (error !== undefined) console.warn('Not run: reading the QR code needs zbarimg (Debian: zbar-tools).');
  return error === undefined ? stdout.trim() : undefined;
}

/** True if the whole element is in the window, without scrolling. */
async function isInSight(element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  const size = element.page().viewportSize();
  return box !== null && size !== null && box.y >= 0 && box.y + box.height <= size.height;
}

/** Shows the page as it is printed, at the size of the paper without its margins. */
async function asPrinted(page: Page, width: number, height: number): Promise<Locator> {
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width, height });
  return page.locator('article');
}

describe.skipIf(!hasBrowser)('the join card', () => {
  test('has an address, the key, the authority and a QR code with all three', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills', 'desktop', { deviceScaleFactor: 2 });
    await openNetwork(page);
    const { dialog, secret } = await createKey(page);
    await dialog.getByText('https://192.168.1.20:7410', { exact: true }).waitFor();
    await dialog.getByText('http://192.168.1.20:7410/ca.pem', { exact: true }).waitFor();
    await dialog.getByText(FINGERPRINT, { exact: true }).waitFor();
    expect(await dialog.getByRole('listitem').count()).toBe(3);
    expect(await dialog.getByText(en.join.onlyHere).count()).toBe(0);

    const expected = {
      counterfoil: 1,
      url: 'https://192.168.1.20:7410/v1/raw_transactions',
      key: secret,
      ca: 'http://192.168.1.20:7410/ca.pem',
      sha256: FINGERPRINT,
    };
    await keepPicture(page, 'join card, screen, QR');
    const onScreen = readQr(join(SCREENSHOTS, 'join card, screen, QR.png'));
    if (onScreen !== undefined) expect(JSON.parse(onScreen)).toEqual(expected);

    const card = await asPrinted(page, 344, 506); // A6 without margins
    expect((await card.innerText()).replaceAll('\n', '')).toContain(FINGERPRINT); // the card shows the fingerprint in two lines
    expect(await card.innerText()).toContain(secret);
    await keepPicture(page, 'join card, A6');
    const height = await card.evaluate((each) => each.scrollHeight);
    expect(height, 'the card fits on A6').toBeLessThanOrEqual(506);
    const onPaper = readQr(join(SCREENSHOTS, 'join card, A6.png'));
    if (onPaper !== undefined) expect(JSON.parse(onPaper)).toEqual(expected);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  });

  test.each<[string, string, typeof en | typeof de]>([
    ['curl', 'en-GB', en],
    ['PowerShell', 'en-GB', en],
    ['Python', 'en-GB', en],
    ['Node', 'en-GB', en],
    ['PHP', 'en-GB', en],
    ['C#', 'en-GB', en],
    ['C#', 'de-DE', de],
  ])(
    'has a request in %s (%s) that posts no sale with a production key, and prints it on A4',
    async (language, locale, texts) => {
      const { gateway } = await openShop();
      const page = await enterAs(gateway, MANAGER, '/tills', 'desktop', { locale });
      await openNetwork(page);
      const { dialog, secret } = await createKey(page, texts);
      await dialog.getByRole('tab', { name: language, exact: true }).click();
      const request = await dialog.getByRole('tabpanel').innerText();
      expect(request).toContain(secret);
      expect(request).toContain('raw_transactions?timestamp_gte=');
      expect(request).not.toMatch(/12\.5|external_id/);
      await dialog.getByText(texts.join.paper_page).click();
      const card = await asPrinted(page, 657, 986); // A4 without margins
      expect(await card.innerText()).toContain('raw_transactions?timestamp_gte=');
      await keepPicture(page, `join card, A4, ${language.replace('#', ' sharp')}, ${locale}`);
      const pdf = await page.pdf({ preferCSSPageSize: true });
      expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    },
  );

  test('says that only this machine can connect, and opens the network without losing the key', async () => {
    const gateway = await openTestGateway({}, undefined, { openConsoleNetwork: (store) => openGivenNetwork(store) });
    onTestFinished(() => gateway.close());
    await addUser(gateway, MANAGER, 'manager');
    const page = await enterAs(gateway, MANAGER, TEST_TILLS);
    const { dialog, secret } = await createKey(page);
    await dialog.getByText(en.join.onlyHere).waitFor();
    await dialog.getByText('http://127.0.0.1:7410', { exact: true }).waitFor();
    expect(await dialog.getByText('ca.pem').count()).toBe(0);
    await button(dialog, en.join.openNetwork).click();
    await dialog.getByText('https://192.168.1.20:7410', { exact: true }).waitFor();
    await dialog.getByText(en.join.onlyHere).waitFor({ state: 'detached' });
    await dialog.getByText(secret, { exact: true }).waitFor();
    expect((await gateway.store.network.settings()).isOpen).toBe(true);
  });

  test('keeps a key that nobody copied, until a sale with it arrives', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills');
    const { dialog, secret } = await createKey(page);
    await expect.poll(() => isInSight(dialog.getByText(en.tills.shownOnce))).toBe(true);
    await button(dialog, en.tills.done).click();
    await dialog.getByText(en.tills.notTaken).waitFor();
    expect(await isInSight(button(dialog, en.tills.doneAnyway))).toBe(true);
    expect((await postBody(gateway.apiUrl, secret, saleOf('B-1', '1.00'))).status).toBe(201);
    await dialog.getByText(like(en.join.arrived, { till: 'Bar' })).waitFor();
    expect(await dialog.getByText(en.tills.notTaken).count()).toBe(0);
    await button(dialog, en.tills.done).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test.each(['/v1/sales', '/'])('says in sight that the till calls the wrong path %s', async (path) => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills');
    const { dialog, secret } = await createKey(page);
    await dialog.getByText(say(en.join.waiting, { till: 'Bar' })).waitFor();
    const headers = { token: secret, 'Content-Type': 'application/json' };
    await call(`${gateway.apiUrl}${path}`, { method: 'POST', headers, body: saleOf('B-1', '1.00') });
    const remedy = dialog.getByText(say(en.join.do_wrongPath, { path, url: `${gateway.apiUrl}/v1/raw_transactions` }));
    await remedy.waitFor();
    expect(await isInSight(remedy)).toBe(true);
  });

  test('gives the full HTTPS address to a till that uses HTTP', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills');
    await openNetwork(page);
    const { dialog } = await createKey(page);
    const sent = { address: '192.168.1.33', keyId: null, method: '', path: '', detail: '', excerpt: '', faults: [] };
    gateway.store.records.noteRefusal({ ...sent, at: Date.now(), code: 'https_required' });
    await dialog.getByText(say(en.join.hint_plainHttp, { device: '192.168.1.33' })).waitFor();
    const url = 'https://192.168.1.20:7410/v1/raw_transactions';
    const remedy = dialog.getByText(say(en.join.do_plainHttp, { url }));
    await remedy.waitFor();
    expect(await isInSight(remedy)).toBe(true);
  });

  test('for an existing key leaves the key out, and says so', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills');
    await openNetwork(page);
    await page.getByRole('button', { name: like(en.tills.actsOf, { key: 'Counter, Key 1' }) }).click();
    await page.getByRole('menuitem', { name: en.tills.cardOf }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(en.join.withoutKey).waitFor();
    await dialog.getByText(en.join.placeholder).waitFor();
    expect(await dialog.getByRole('tabpanel').innerText()).toContain("-H 'token: KEY'");
    await assertLooksRight(page, 'join card without the key');
    const card = await asPrinted(page, 344, 506);
    expect(await card.innerText()).toContain(en.join.withoutKey);
    await keepPicture(page, 'join card, A6, without the key');
    const read = readQr(join(SCREENSHOTS, 'join card, A6, without the key.png'));
    if (read !== undefined) expect(JSON.parse(read)).not.toHaveProperty('key');
    expect(await page.content()).not.toContain(gateway.production.secret);
  });

  test('waits for the first sale and explains what goes wrong until then', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills');
    const { dialog, secret } = await createKey(page);
    await dialog.getByText(say(en.join.waiting, { till: 'Bar' })).waitFor();
    await postBody(gateway.apiUrl, 'prod_another-key-of-nobody', saleOf('B-1', '1.00'));
    await dialog.getByText(say(en.join.hint_wrongKey, { device: '127.0.0.1' })).waitFor();
    await dialog.getByText(/body/).waitFor(); // the hint shows the end of the wrong key: "nobody"
    await call(`${gateway.apiUrl}/v1/raw_transactions`, { method: 'POST', body: '{}' });
    await dialog.getByText(say(en.join.hint_noKey, { device: '127.0.0.1' })).waitFor();
    await page.setViewportSize({ width: 390, height: 490 });
    const hints = dialog.getByRole('region', { name: en.join.hints }).getByRole('alert');
    const heights = await hints.evaluateAll((all) => all.map((each) => [each.clientHeight, each.scrollHeight]));
    expect(heights.length).toBeGreaterThan(1);
    for (const [seen, whole] of heights) expect(seen, 'no text of a hint is cut off').toBe(whole);
    await page.setViewportSize(LOOKS.desktop.viewport);
    await postBody(gateway.apiUrl, secret, '{"type":"sale"}');
    await dialog.getByText(en.join.hint_refused).waitFor();
    await assertLooksRight(page, 'join card, hints');
    const inTwoHours = new Date(Date.now() + 2 * 60 * 60_000);
    expect((await postBody(gateway.apiUrl, secret, saleOf('B-2', '1.00', inTwoHours))).status).toBe(201);
    await dialog.getByText(like(en.join.arrived, { till: 'Bar' })).waitFor();
    await dialog.getByText(like(en.join.clock_ahead)).waitFor();
    expect(await dialog.getByText(en.join.hint_refused).count()).toBe(0);
    await keepPicture(page, 'join card, arrived');
  });

  test('knows when the key was used without a sale', async () => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, '/tills');
    const { dialog, secret } = await createKey(page);
    const today = new Date().toISOString().slice(0, 10);
    const query = `timestamp_gte=${today}T00:00:00&timestamp_lt=${today}T23:59:59`;
    const headers = { token: secret };
    expect((await call(`${gateway.apiUrl}/v1/raw_transactions?${query}`, { headers })).status).toBe(200);
    await dialog.getByText(like(en.join.called, { till: 'Bar' })).waitFor();
  });

  test.each<[string, Look, string, typeof en | typeof nl | typeof de, 'light' | 'dark']>([
    ['desktop', 'desktop', 'en-GB', en, 'light'],
    ['dark', 'desktop', 'en-GB', en, 'dark'],
    ['phone', 'phone', 'en-GB', en, 'light'],
    ['phone, dark, nl', 'phone, dark', 'nl-NL', nl, 'dark'],
    ['nl', 'desktop', 'nl-NL', nl, 'light'],
    ['de', 'desktop', 'de-DE', de, 'light'],
  ])('looks right: %s', async (name, look, locale, texts, colorScheme) => {
    const { gateway } = await openShop();
    const page = await enterAs(gateway, MANAGER, TEST_TILLS, look, { locale, colorScheme });
    await openNetwork(page);
    const { dialog } = await createKey(page, texts);
    await dialog.getByText(texts.join.try_sale).waitFor();
    await assertLooksRight(page, `join card, ${name}`);
    expect(await isInSight(dialog.getByText(say(texts.join.waiting, { till: 'Bar' })))).toBe(true);
    await dialog.getByRole('tabpanel').hover();
    await page.mouse.wheel(0, 5000);
    await keepPicture(page, `join card, ${name}, end`);
    await asPrinted(page, 344, 506);
    await keepPicture(page, `join card, ${name}, A6`);
    expect(await page.locator('article').evaluate((each) => each.scrollHeight)).toBeLessThanOrEqual(506);
  });
});
