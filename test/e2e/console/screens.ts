// `npm run screens` takes the pictures in docs/screens/. It opens a shop with a morning of sales and walks through the console
// in Chromium. The shop is in a time zone where it is now late morning.

import { join } from 'node:path';

import { chromium, type Page } from 'playwright';

import { generateSecret } from '../../../server/store/setup/key-secret.ts';
import { CHROMIUM_FLAGS, findHeadlessChromium, HOW_TO_GET_CHROMIUM } from '../../support/chromium.ts';
import { postBody } from '../../support/http-call.ts';
import { openBareGateway } from '../../support/open-gateway.ts';
import { openStandIn } from '../../support/upstream/stand-in.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/screens');
const LANE = { administration: 'Corner Bakery', mode: 'production', interface: 'current' } as const;
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 780 };
const LOCAL_HOUR = 11;
const QUARTER_MS = 900_000;
/** The number of sales in each quarter hour of the morning. */
const MORNING = [2, 3, 5, 7, 6, 8, 9, 7, 6, 5, 7, 9, 11, 12];

const executablePath = findHeadlessChromium();
if (executablePath === undefined) throw new Error(`Pictures need Chromium: ${HOW_TO_GET_CHROMIUM}.`);

const now = Date.now();
const hoursAhead = LOCAL_HOUR - new Date(now).getUTCHours();
// The names of these zones have an inverted sign: Etc/GMT-2 is two hours ahead of UTC.
const timeZone = `Etc/GMT${hoursAhead > 0 ? '-' : '+'}${Math.abs(hoursAhead)}`;

const gateway = await openBareGateway();
const upstream = await openStandIn({});
const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] });
try {
  const { amounts, setup, outbox } = gateway.store;
  await setup.createAdministration({ name: LANE.administration, timeZone, dayStartsAt: 0 }, 'screens');
  const tills = [await makeTill('Counter', 'T1'), await makeTill('Till 2', 'T2')] as const;
  const act = { kind: 'set upstream', upstream: { url: upstream.url, token: 'prod_upstream' } } as const;
  await outbox.performAct(LANE, act, 'screens');
  const rule = { total: '/object/total', currency: 'EUR', payment: '/object/paid', sign: 'as sent' } as const;
  await amounts.setRule(LANE.administration, 'sale', { type: 'sale', ...rule }, 'screens');

  let number = 500;
  const sell = async (at: number, total: string, id = (number += 1)): Promise<void> => {
    // The second till makes every third sale.
    const { prefix, secret } = tills[id % 3 === 0 ? 1 : 0];
    const timestamp = `${new Date(at).toISOString().slice(0, 19)}Z`;
    const head = `"type":"sale","external_id":"${prefix}-000${id}","timestamp":"${timestamp}"`;
    const answer = await postBody(
      gateway.apiUrl,
      secret,
      `{${head},"object":{"total":${total},"items":4,"paid":"card"}}`,
    );
    if (answer.status > 201) throw new Error(`A sale was refused: ${answer.text}`);
  };
  for (const [quarter, sales] of MORNING.entries())
    for (let i = 0; i < sales; i++)
      await sell(now - (MORNING.length - quarter) * QUARTER_MS + i * 60_000, `${3 + ((i * 7) % 11)}.50`);
  const conflictAt = now - 120_000;
  await sell(conflictAt, '12.50', 606);
  await sell(conflictAt, '12.50', 606); // a retry
  await sell(conflictAt, '12.05', 606); // the same id with another total: a conflict
  await upstream.waitUntil(({ records }) => records === MORNING.reduce((sum, sales) => sum + sales, 1));

  const desktop = await openPage(DESKTOP, 'light');
  await desktop.getByText('Till 2').first().waitFor();
  await desktop.locator('.recharts-bar-rectangle').first().waitFor();
  await take(desktop, 'today');
  await goTo(desktop, '/records');
  await desktop.getByRole('main').getByText('T2-000606').first().waitFor();
  await take(desktop, 'records');
  await desktop.getByRole('main').getByText('T2-000606').first().click(); // the first of the three rows is the conflict
  await desktop.getByRole('dialog').getByText('12.05').first().waitFor();
  await take(desktop, 'conflict');

  await upstream.close();
  for (let i = 0; i < 5; i++) await sell(Date.now(), '4.80');
  await goTo(desktop, '/upstream');
  await desktop.getByText('ECONNREFUSED').first().waitFor();
  // The gateway counts the waiting records once a minute.
  await desktop.locator('.recharts-surface').first().waitFor({ timeout: 120_000 });
  await take(desktop, 'upstream');
  const phone = await openPage(PHONE, 'dark');
  await phone.getByText('ECONNREFUSED').first().waitFor();
  await take(phone, 'phone');
} finally {
  await browser.close();
  await gateway.close();
}

async function makeTill(label: string, prefix: string): Promise<{ prefix: string; secret: string }> {
  const { administration, mode } = LANE;
  const secret = generateSecret(mode);
  const wanted = { administration, mode, label, interface: 'current', secret, isAdopted: false } as const;
  await gateway.store.setup.createKey(wanted, 'screens');
  return { prefix, secret };
}

async function openPage(viewport: typeof DESKTOP, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB', timezoneId: timeZone });
  const page = await context.newPage();
  await page.goto(gateway.createLink());
  await page.getByRole('navigation').waitFor();
  return page;
}

async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(gateway.consoleUrl + path);
  await page.getByRole('navigation').waitFor();
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
  console.log(`docs/screens/${name}.png`);
}
