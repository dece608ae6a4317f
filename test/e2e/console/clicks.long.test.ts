// Counts the clicks that everyday tasks need. A person starts on Today and knows nothing of the console. The shop has half a
// year of a real bakery's sales, with made-up prices.

import { readFile } from 'node:fs/promises';

import type { Locator } from 'playwright';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import en from '../../../renderer/locales/en.json';
import { machineClock } from '../../../server/lib/clock.ts';
import { enter } from '../../support/console.ts';
import { openTestGateway, type TestGateway, type TestKey } from '../../support/open-gateway.ts';
import { replaySales } from '../../support/till/replay.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { loadBakerySales } from '../test-site.ts';
import { assertLooksRight, button, hasBrowser, keepPicture, LOOKS, openPage, say } from './browser.ts';
import { LANE } from './shop.ts';

const DAY_MS = 86_400_000;
/** The bakery's sales are dated this much later, so that they end on the day of NOW. */
const SHIFT_MS = 3523 * DAY_MS;
const NOW = Date.parse('2026-12-01T15:00:00Z');
const LAST_EVENING = Date.parse('2026-11-30T23:45:00Z');
/** In euro cents. The bakery's data have no prices. */
const PRICES: Readonly<Record<string, number>> = {
  Coffee: 260,
  Bread: 240,
  Tea: 230,
  Cake: 330,
  'Hot chocolate': 320,
  Sandwich: 495,
  Chocolates: 195,
};
const OTHER_PRICE = 295;

/** Sales that the upstream rejects, and a sale that it confirms and does not store. */
const REJECTED = ['bakery-08056', 'bakery-08800'] as const;
const LOST = 'bakery-06511';

interface Sale {
  readonly soldAt: number;
  readonly body: Buffer;
}

async function loadSales(): Promise<Sale[]> {
  return (await loadBakerySales()).map(({ body }) => {
    const record = JSON.parse(body.toString()) as { timestamp: string; object: { items: string[] } };
    const soldAt = Date.parse(record.timestamp) + SHIFT_MS;
    const cents = record.object.items.reduce((sum, item) => sum + (PRICES[item] ?? OTHER_PRICE), 0);
    const timestamp = new Date(soldAt).toISOString().replace('.000Z', 'Z');
    const object = { ...record.object, total: (cents / 100).toFixed(2), currency: 'EUR', payment_method: 'card' };
    return { soldAt, body: Buffer.from(JSON.stringify({ ...record, timestamp, object })) };
  });
}

async function openBakery(): Promise<{ readonly gateway: TestGateway; close(): Promise<void> }> {
  vi.useFakeTimers({ toFake: ['Date'], now: LAST_EVENING, shouldAdvanceTime: true });
  const clock = { ...machineClock, now: () => Date.now() };
  const gateway = await openTestGateway({}, undefined, { clock });
  const script = `
    id=${REJECTED[0]}: 422 body "The tax code is missing."; id=${REJECTED[1]}: 422 body "The date is too old.";
    id=${LOST}: accept untaken; accept`;
  const upstream = await openStandIn({ script, clock, keepBodies: false });
  const { store, apiUrl, production } = gateway;
  await store.setup.changeAdministration('Bakery', { timeZone: 'Europe/London' }, 'test');
  const rule = { type: 'sale', total: '/total', currency: '/currency', payment: '/payment_method' } as const;
  await store.amounts.setRule('Bakery', 'sale', { ...rule, sign: 'as sent' }, 'test');
  const act = { kind: 'set upstream', upstream: { url: upstream.url, token: 'prod_upstream' } } as const;
  await store.outbox.performAct(LANE, act, 'test');
  const other = await gateway.makeKey({ mode: 'production', label: 'Till 2' });
  const sales = await loadSales();
  const replay = async ({ secret }: TestKey, isOf: (sale: Sale, index: number) => boolean): Promise<void> => {
    const bodies = sales.filter(isOf).map(({ body }) => body);
    expect(await replaySales({ url: apiUrl, keys: [secret], sales: bodies })).toMatchObject({ ok: true });
  };
  const isPast = ({ soldAt }: Sale): boolean => soldAt < LAST_EVENING;
  await Promise.all([
    replay(production, (sale, index) => isPast(sale) && index % 2 === 0),
    replay(other, (sale, index) => isPast(sale) && index % 2 === 1),
  ]);
  vi.setSystemTime(NOW);
  await replay(production, (sale) => !isPast(sale) && sale.soldAt < NOW); // today, the other till has not sold
  await checkDays(gateway);
  return {
    gateway,
    async close() {
      await gateway.close();
      await upstream.close();
      vi.useRealTimers();
    },
  };
}

/** Compares all days before today with the upstream. */
async function checkDays(gateway: TestGateway): Promise<void> {
  const window = await enter(gateway);
  const journal = gateway.production.journalId;
  const days = { journal, from: '2026-06-23', to: '2026-11-30', byIds: false, resend: true };
  expect((await window.send('POST', '/api/checks', days)).status).toBe(202);
  await waitUntil(async () => (await gateway.store.checks.listOpen()).length === 0);
}

/** A page on Today. `click` counts. */
async function openToday(gateway: TestGateway) {
  const page = await openPage();
  await page.clock.install({ time: NOW });
  await page.goto(gateway.createLink());
  await page.getByRole('navigation').waitFor();
  const main = page.getByRole('main');
  let clicks = 0;
  return {
    page,
    main,
    goTo: (name: keyof typeof en.app) => click(page.getByRole('navigation').getByRole('link', { name: en.app[name] })),
    click,
    /** Types into the field with the focus. A new dialog gives the focus to its first field a moment after it is shown. */
    async type(text: string): Promise<void> {
      await page.locator('input:focus').waitFor();
      await page.keyboard.type(text);
    },
    countClicks: () => clicks,
  };
  async function click(what: Locator): Promise<void> {
    await what.click();
    clicks += 1;
  }
}

describe.skipIf(!hasBrowser)('in a bakery with half a year of sales, starting on Today', () => {
  let shop: Awaited<ReturnType<typeof openBakery>>;
  beforeAll(async () => {
    shop = await openBakery();
  }, 120_000);
  afterAll(() => shop.close());

  test('a silent till is told without a click', async () => {
    const { main, countClicks } = await openToday(shop.gateway);
    await main.getByRole('listitem').filter({ hasText: 'Till 2 has stopped sending' }).waitFor();
    expect(countClicks()).toBe(0);
  });

  test('one click shows whether yesterday was complete', async () => {
    const { main, click, countClicks, page } = await openToday(shop.gateway);
    const yesterday = main.getByRole('link', { name: /^Mon,? 30 Nov/ });
    await yesterday.getByText(en.verdict.complete).waitFor(); // Today already says it
    await click(yesterday);
    await main.getByRole('heading', { name: 'Monday, 30 November 2026' }).waitFor();
    await main.getByText(en.verdict.complete, { exact: true }).first().waitFor();
    await keepPicture(page, 'clicks, yesterday');
    expect(countClicks()).toBe(1);
  });

  test('two clicks show which sales are missing upstream and why, over all days', async () => {
    const { main, click, goTo, countClicks, page } = await openToday(shop.gateway);
    await click(main.getByRole('link', { name: en.todo.all }));
    await main.getByText('Wed 7 Oct differs: 1 sale missing upstream.').waitFor();
    for (const id of [...REJECTED, LOST]) await main.getByText(id, { exact: true }).waitFor();
    await keepPicture(page, 'clicks, missing sales');
    await goTo('upstream');
    for (const reason of ['The tax code is missing.', 'The date is too old.'])
      await main.getByText(say(en.upstream.said, { said: reason })).waitFor();
    for (const id of REJECTED) await main.getByRole('link', { name: id }).waitFor();
    expect(countClicks()).toBe(2);
  });

  test('three clicks find and open the sale of 3 November around 16:30 of 12.50', async () => {
    const { page, main, click, type, goTo, countClicks } = await openToday(shop.gateway);
    await goTo('records');
    await click(main.getByRole('textbox', { name: en.records.search }));
    await type('12.50');
    const found = main.getByRole('row').filter({ hasText: '3 Nov 16:28' }).filter({ hasText: '€12.50' });
    await click(found.getByRole('link'));
    await page.getByRole('dialog').getByText('Chocolates').waitFor();
    expect(countClicks()).toBe(3);
  });

  test('four clicks compare the Z-report of a till by amount', async () => {
    const { page, main, click, type, countClicks } = await openToday(shop.gateway);
    await click(main.getByRole('link', { name: /^Mon,? 30 Nov/ }));
    await click(button(main, en.day.declareDo));
    await type('46');
    await page.keyboard.press('Tab');
    await type('303.75');
    const dialog = page.getByRole('dialog');
    await click(dialog.getByRole('radio', { name: 'Till 2' }));
    await assertLooksRight(page, 'clicks, declare');
    await page.setViewportSize(LOOKS.phone.viewport);
    await keepPicture(page, 'clicks, declare, phone');
    await page.setViewportSize(LOOKS.desktop.viewport);
    await click(button(dialog, en.day.declareSave));
    await main.getByText('€2.00 more declared').first().waitFor();
    await keepPicture(page, 'clicks, Z-report');
    expect(countClicks()).toBe(4);
  });

  test('three clicks give the accountant November', async () => {
    const { page, main, click, goTo, countClicks } = await openToday(shop.gateway);
    await goTo('days');
    await click(main.getByRole('link', { name: say(en.days.to, { when: 'November 2026' }) }));
    const link = main.getByRole('link', { name: en.export.tills });
    const [file] = await Promise.all([page.waitForEvent('download'), click(link)]);
    expect(file.suggestedFilename()).toBe('Bakery 2026-11-01 2026-11-30 tills.csv');
    const [head, ...rows] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    expect(head).toBe('\uFEFFday,interface,type,till,sales,amount (EUR),without_amount');
    expect(rows).toHaveLength(60);
    expect(countClicks()).toBe(3);
  });
});
