// Tests the way from a fresh data directory to the first sale over HTTPS, with the console alone. On one host, a person starts
// the gateway, opens the console in a browser, and fills in one page. On another host, the person runs the commands that this
// page shows.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { chromium, type Locator, type Page } from 'playwright';
import { describe, expect, onTestFinished, test } from 'vitest';

import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import nl from '../../../renderer/locales/nl.json';
import { CHROMIUM_FLAGS, findHeadlessChromium } from '../../support/chromium.ts';
import { BUNDLE } from '../../support/gateway-process.ts';
import { type LanHost, openLan, whyNoLan } from '../../support/namespaces.ts';
import { button, hasBrowser, keepPicture, like, LOOKS, say } from './browser.ts';

/** Opens the console of a first start on a host, by the printed link. */
async function openFirstStart(shop: LanHost, locale: string): Promise<{ page: Page; printed: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-first-till-'));
  const program = [resolve(BUNDLE), 'serve', '--welcome', '--console-port', '0', '--data', join(folder, 'data')];
  const gateway = shop.start(process.execPath, program);
  let printed = '';
  for await (const part of gateway.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += String(part);
    if (/^ {2}curl 'http/m.test(printed)) break;
  }
  const browserOnHost = join(folder, 'browser');
  writeFileSync(browserOnHost, `#!/bin/sh\nexec ${shop.enter.join(' ')} ${findHeadlessChromium()} "$@"\n`);
  chmodSync(browserOnHost, 0o755);
  const browser = await chromium.launch({ executablePath: browserOnHost, args: [...CHROMIUM_FLAGS] });
  onTestFinished(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const context = await browser.newContext({ ...LOOKS.desktop, locale, timezoneId: 'Europe/Amsterdam' });
  const page = await context.newPage();
  await page.goto(/http:\S+\/enter\S+/.exec(printed)?.[0] ?? '');
  return { page, printed };
}

/**
 * True if the middle of an element's bottom edge is in the window, and nothing covers it. Corners are not tested, because they
 * may be round.
 */
function isUncovered(element: Locator): Promise<boolean> {
  return element.evaluate((each) => {
    const { left, width, bottom } = each.getBoundingClientRect();
    return each.contains(document.elementFromPoint(left + width / 2, bottom - 1));
  });
}

const isMissing = whyNoLan !== undefined || !hasBrowser;

describe.skipIf(isMissing)(`the first till${whyNoLan === undefined ? '' : ` (not run: ${whyNoLan})`}`, () => {
  test.each([
    ['en-GB', en],
    ['de-DE', de],
    ['nl-NL', nl],
  ])('is connected in three steps, in %s', async (locale, words) => {
    const lan = await openLan(2);
    onTestFinished(() => lan.close());
    const [shop, till] = lan.hosts as [LanHost, LanHost];
    const { page, printed } = await openFirstStart(shop, locale);
    const name = say(words.tills.tillExample, { n: 1 });
    const main = page.getByRole('main');
    // The page has filled in the name and the time zone of the store. The person decides only where the till runs.
    await main.getByText(like(words.welcome.tillPrinted)).waitFor();
    expect(await main.innerText()).not.toMatch(/First till/);
    await button(page, words.welcome.makeKey).click();
    await main.getByText(words.welcome.runsOnMissing).waitFor();
    await page.getByLabel(words.welcome.runsOnOther).check();
    await keepPicture(page, `first till, connect, ${locale}`);
    expect(await isUncovered(button(page, words.welcome.makeKey)), 'the page needs no scrolling').toBe(true);
    await button(page, words.welcome.makeKey).click();
    await main.getByText(say(words.join.waiting, { till: name })).waitFor();
    const lines = await main.getByRole('tabpanel').innerText();
    expect(lines).toContain(`https://${shop.ipv4}:7410`);
    expect(printed).not.toContain(/test_\S+(?=')/.exec(lines)?.[0]);
    await keepPicture(page, `first till, card, ${locale}`);
    const copy = button(page, `${words.app.copy}: ${words.tills.firstRequest}`);
    expect(await isUncovered(copy), 'the request can be copied without scrolling').toBe(true);
    const answer = await till.run('sh', ['-c', `cd "$(mktemp -d)" && ${lines}`]);
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining('"status":"NEW"') });

    await main.getByText(like(words.join.arrived, { till: name })).waitFor();
    await keepPicture(page, `first till, arrived, ${locale}`);
    await page.getByRole('banner').getByText(words.welcome.unnamed).waitFor();
  });
});
