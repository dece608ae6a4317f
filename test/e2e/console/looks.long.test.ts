// The look of every screen, in a real browser with a real gateway.

import type { Page } from 'playwright';
import { describe, expect, test } from 'vitest';

import en from '../../../renderer/locales/en.json';
import {
  assertLooksRight,
  AXE_COLOURS,
  enter,
  goTo,
  hasBrowser,
  keepPicture,
  like,
  LOOKS,
  say,
  SCREENS,
} from './browser.ts';
import { shareBusyShop } from './shop.ts';

describe.skipIf(!hasBrowser)('every screen has its title and looks right', () => {
  const getShop = shareBusyShop();

  /** A text that each screen must show in its main part. */
  const SAID = {
    today: say(en.today.allUpstream_other, { n: 12 }),
    records: 'S-12',
    days: like(en.tally.waiting_one, { n: 1 }),
    trends: en.trends.perHour,
    refused: like(en.refusal.key_unknown),
    upstream: '127.0.0.1',
    tills: 'Counter',
    activity: like(en.activity.setUpstream),
    settings: en.settings.timeZone,
  } as const;

  /** Opens each screen and checks it. */
  async function walk(page: Page, look: (name: string) => Promise<void>): Promise<void> {
    for (const name of SCREENS) {
      await goTo(page, name);
      await page.getByRole('main').getByText(SAID[name]).first().waitFor();
      await look(name);
    }
    const { consoleUrl, test: key } = getShop().gateway;
    await goTo(page, 'records');
    await page.getByRole('link', { name: 'S-4' }).first().click();
    await page.getByRole('dialog').getByText(like(en.record.changed)).waitFor();
    await look('record');
    await page.goto(`${consoleUrl}/network`);
    await page.getByRole('main').getByText(en.network.openTitle, { exact: true }).waitFor();
    await look('network page');
    await page.goto(`${consoleUrl}/tills/certify?journal=${key.journalId}&key=${key.id}`);
    await page.getByRole('button', { name: en.certify.start }).waitFor();
    await look('certify page');
    await page.goto(`${consoleUrl}/welcome?journal=${getShop().gateway.production.journalId}`);
    await page.getByRole('main').getByRole('heading').waitFor();
    await look('welcome');
  }

  async function turn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  }

  test('on a desk, by day and by night', async () => {
    const page = await enter(getShop().gateway);
    await walk(page, async (name) => {
      await assertLooksRight(page, `${name}, desktop`);
      await page.setViewportSize({ width: 1024, height: 640 });
      await keepPicture(page, `${name}, small`);
      await page.setViewportSize(LOOKS.desktop.viewport);
      await turn(page, 'dark');
      await assertLooksRight(page, `${name}, dark`, AXE_COLOURS);
      await turn(page, 'light');
    });
  });

  test('on a phone', async () => {
    const page = await enter(getShop().gateway, 'phone');
    await walk(page, async (name) => {
      await assertLooksRight(page, `${name}, phone`);
      await turn(page, 'dark');
      await keepPicture(page, `${name}, phone, dark`);
      await turn(page, 'light');
    });
  });

  test('at twice the size nothing scrolls sideways, and with reduced motion nothing moves', async () => {
    const page = await enter(getShop().gateway, 'enlarged');
    const assertFits = async (name: string): Promise<void> => {
      const { scrollWidth, clientWidth, moving } = await page.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        clientWidth: document.documentElement.clientWidth,
        moving: document.getAnimations().filter((each) => each.playState === 'running').length,
      }));
      expect(scrollWidth, name).toBeLessThanOrEqual(clientWidth);
      expect(moving, name).toBe(0);
      await keepPicture(page, `${name}, enlarged`);
    };
    await walk(page, assertFits);
  });
});
