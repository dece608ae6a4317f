// Store days in the console: shown, compared with the upstream, declared, signed off and printed, by mouse and keyboard.

import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import de from '../../../renderer/locales/de.json';
import en from '../../../renderer/locales/en.json';
import type { CheckRequest } from '../../../server/contract/days.ts';
import { databasePath, openDatabase } from '../../../server/store/sqlite/engine/database.ts';
import { addUser, signIn } from '../../support/console.ts';
import { postBody } from '../../support/http-call.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { assertLooksRight, button, enterAs, goTo, hasBrowser, keepPicture, like, LOOKS, say } from './browser.ts';
import { listActsOf, MANAGER, openShop, saleOf, type Shop } from './shop.ts';

const CLERK = 'Ann';

/** The month that was `months` months ago, as YYYY-MM. No test uses today, because today may have just begun. */
function monthAgo(months: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
}
/** Tests that compare a whole month use WHOLE. In the month APART, each test uses a different day. */
const WHOLE = monthAgo(1);
const APART = monthAgo(2);
const apart = (day: number): string => `${APART}-${String(day).padStart(2, '0')}`;
const LOST = apart(3);
const NEVER_KEPT = apart(4);
const DECLARED = apart(5);
const IMPORTED = [apart(6), apart(7)] as const;
const SIGNED = apart(8);
const CROWDED = apart(9);

/** A date as the console writes it in English. */
function written(date: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }).format(Date.parse(date));
}
const shortDate = (date: string): string => {
  const isThisYear = date.slice(0, 4) === new Date().toISOString().slice(0, 4);
  return written(date, { weekday: 'short', day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) });
};
const fullDate = (date: string): string =>
  written(date, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

describe.skipIf(!hasBrowser)('store days', () => {
  let shop: Shop;
  let closeShop = async (): Promise<void> => {};
  let journal = 0;

  /** Sells one sale for each id on a day. */
  async function sellOn(date: string, ids: readonly string[], secret = shop.gateway.production.secret): Promise<void> {
    for (const [i, id] of ids.entries()) {
      const soldAt = new Date(Date.parse(`${date}T09:00:00Z`) + i * 60_000);
      expect((await postBody(shop.gateway.apiUrl, secret, saleOf(id, '1.50', soldAt))).status).toBe(201);
    }
  }
  async function settle(): Promise<void> {
    await waitUntil(async () => {
      const statuses = await shop.gateway.store.outbox.listLaneStatus();
      return statuses.every(({ url, waiting }) => url === null || waiting === 0);
    });
  }

  /**
   * Makes all sales look as if they had been sent more than four hours ago, so that they must be visible upstream. Changes the
   * database, because with a clock five hours ahead the gateway would check the days itself.
   */
  function passSettleTime(): void {
    const db = openDatabase(databasePath(shop.gateway.dataDir), 'write');
    db.exec('UPDATE delivery_counts SET last_at = last_at - 18000000');
    db.close();
  }

  /** Requests a check of days and resolves when all checks have ended. */
  async function checkDays(from: string, to = from): Promise<void> {
    const window = await signIn(shop.gateway, CLERK);
    await window.send('POST', '/api/checks', { journal, from, to, byIds: false } satisfies CheckRequest);
    await waitUntil(async () => (await shop.gateway.store.checks.listOpen()).length === 0);
  }

  beforeAll(async () => {
    const script =
      'id=LOST-* attempt=1: accept untaken; id=NEVER-* attempt=1-2: accept untaken; id=GONE-*: accept untaken; accept';
    shop = await openShop({ script }, (close) => (closeShop = close));
    const { gateway } = shop;
    await addUser(gateway, CLERK, 'clerk');
    await gateway.store.setup.changeAdministration('Bakery', { timeZone: 'Europe/Amsterdam' }, 'test');
    journal = gateway.production.journalId;
    const ids = (prefix: string, count: number): string[] =>
      Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`);
    await sellOn(`${WHOLE}-10`, ids('W', 12));
    await sellOn(`${WHOLE}-11`, ids('X', 7));
    await sellOn(`${WHOLE}-17`, ['GONE-1']);
    await sellOn(LOST, [...ids('L', 3), 'LOST-1']);
    await sellOn(NEVER_KEPT, [...ids('N', 3), 'NEVER-1', 'NEVER-2']);
    await sellOn(DECLARED, ids('D', 4));
    await sellOn(IMPORTED[0], ids('I', 2));
    await sellOn(IMPORTED[1], ids('J', 3));
    await sellOn(SIGNED, ids('S', 2));
    const night = Date.parse(`${CROWDED}T00:00:00Z`);
    await gateway.store.health.noteSleep({ from: night, to: night + 4.5 * 60 * 60_000 });
    await settle();
    passSettleTime();
    await checkDays(`${WHOLE}-17`);
    await settle();
    passSettleTime();
  });
  afterAll(() => closeShop());

  /** The current verdict, which stands outside the sections of the page. */
  const verdict = (page: Page, word: string) =>
    page.getByRole('main').getByText(word, { exact: true }).and(page.locator(':not(section *)')).first();
  const entries = async (date: string) =>
    (await shop.gateway.store.verdicts.listEntries(journal, date)).map((entry) =>
      entry.kind === 'verdict' ? entry.verdict : entry.kind,
    );
  /** The number of acts that a test has already seen, by person. */
  const told = new Map<string, number>();
  async function newActsOf(actor: string): Promise<string[]> {
    const acts = await listActsOf(shop.gateway, actor);
    const before = told.get(actor) ?? 0;
    told.set(actor, acts.length);
    return acts.slice(before);
  }

  test('a month is compared as a whole; the calendar shows each verdict, works by keyboard, and the year sums it up', async () => {
    const page = await enterAs(shop.gateway, CLERK, `/days?month=${WHOLE}`);
    const day = (date: string) => page.getByRole('link', { name: new RegExp(`^${fullDate(date)}`) });
    const says = (date: string): Promise<string> => day(date).ariaSnapshot();
    await day(`${WHOLE}-10`).waitFor();
    await expect.poll(() => says(`${WHOLE}-10`)).toContain(en.verdict.waiting);
    await button(page, en.days.check).click();
    await page.getByRole('link', { name: say(en.tally.differs_one, { n: 1 }) }).waitFor();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    const complete = `${en.verdict.complete} ${say(en.days.sales_other, { n: 12 })}`;
    await expect.poll(() => says(`${WHOLE}-10`)).toContain(complete);
    await expect.poll(() => day(`${WHOLE}-11`).innerText()).toMatch(/11\s+complete\s+7\s/);
    await expect.poll(() => says(`${WHOLE}-17`)).toContain(say(en.reasonShort.missing_upstream, { n: 1 }));
    expect(await says(`${WHOLE}-18`)).toContain(en.verdict.closed);
    await page.getByRole('link', { name: say(en.tally.differs_one, { n: 1 }) }).click();
    await page.locator('[data-shown]').waitFor();
    expect(new URL(page.url()).searchParams.get('show')).toBe('differs');

    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-date'));
    const press = async (key: string, date: string): Promise<void> => {
      await page.keyboard.press(key);
      await expect.poll(focused).toBe(date);
    };
    await day(`${WHOLE}-10`).focus();
    await press('ArrowRight', `${WHOLE}-11`);
    await press('ArrowDown', `${WHOLE}-18`);
    await press('ArrowLeft', `${WHOLE}-17`);
    await press('ArrowUp', `${WHOLE}-10`);
    await press('ArrowUp', `${WHOLE}-03`);
    await page.keyboard.press('ArrowUp');
    await expect.poll(async () => (await focused())?.slice(0, 7)).toBe(APART);
    expect(new URL(page.url()).searchParams.get('month')).toBe(APART);
    await day(SIGNED).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: fullDate(SIGNED) }).waitFor();
    await page.getByRole('link', { name: say(en.day.previous, { day: shortDate(IMPORTED[1]) }) }).click();
    await page.getByRole('heading', { name: fullDate(IMPORTED[1]) }).waitFor();

    const year = WHOLE.slice(0, 4);
    await page.goto(`${shop.gateway.consoleUrl}/days?month=${WHOLE}`);
    await page.getByRole('link', { name: say(en.days.wholeYear, { year }) }).click();
    const month = page.getByRole('link', { name: new RegExp(`^${written(WHOLE, { month: 'long' })}`) });
    await month.waitFor();
    expect((await month.innerText()).replaceAll('\u00A0', ' ')).toContain(say(en.tally.complete_other, { n: 2 }));
    await assertLooksRight(page, 'year, desktop');
    await month.click();
    await page.getByRole('heading', { name: written(WHOLE, { month: 'long', year: 'numeric' }) }).waitFor();
  });

  test('a sale that the upstream lost is found by “check now” and sent again, and the day ends complete', async () => {
    const page = await enterAs(shop.gateway, CLERK, `/days/${LOST}`);
    await verdict(page, en.verdict.waiting).waitFor();
    await button(page, en.day.checkNow).click();
    await page
      .getByRole('main')
      .getByText(say(en.day.byIds_other, { n: 4 }))
      .waitFor();
    await verdict(page, en.verdict.complete).waitFor();
    await page.getByRole('main').getByText(en.day.provisional).waitFor();
    expect(await entries(LOST)).toEqual(['complete', 'waiting']);
    expect(shop.upstream.effects.find(({ id }) => id === 'LOST-1')).toMatchObject({ attempts: 2 });
    const history = page.getByRole('region', { name: en.day.history }).getByRole('listitem');
    await expect.poll(() => history.nth(1).innerText()).toContain(say(en.reasonShort.sent_again, { n: 1 }));
    expect((await listActsOf(shop.gateway, 'gateway')).at(-1)).toMatch(/^send again 1 record: \{"kind":"missing"/);
    await goTo(page, 'activity');
    const act = say(en.activity.sendMissing_one, { who: en.activity.gateway, n: 1, store: 'Bakery' });
    await page.getByRole('main').getByText(act).first().waitFor();
  });

  test('sales that the upstream never keeps are listed as missing, and only a manager can send them again', async () => {
    const { gateway } = shop;
    const anns = await enterAs(gateway, CLERK, `/days/${NEVER_KEPT}`);
    await button(anns, en.day.checkNow).click();
    await anns
      .getByRole('main')
      .getByText(say(en.reason.not_seen_yet_other, { n: 2 }))
      .waitFor();
    await verdict(anns, en.verdict.waiting).waitFor();
    await anns.getByRole('region', { name: en.day.notSeenYet }).waitFor();
    expect(await button(anns, say(en.day.sendUnseen_other, { n: 2 })).count()).toBe(0);
    passSettleTime();
    await button(anns, en.day.checkNow).click();
    await anns
      .getByRole('main')
      .getByText(say(en.reason.missing_upstream_other, { n: 2 }))
      .waitFor();
    await verdict(anns, en.verdict.differs).waitFor();
    const missing = anns.getByRole('region', { name: en.day['missing upstream'] });
    await expect.poll(() => missing.getByRole('link').allInnerTexts()).toEqual(['NEVER-1', 'NEVER-2']);
    await missing.getByText(en.day.wasTaken).first().waitFor();
    const resend = say(en.day.sendMissing_other, { n: 2 });
    await anns.getByText(en.day.askManager).waitFor();
    expect(await button(anns, resend).count()).toBe(0);
    const window = await signIn(gateway, CLERK);
    const refused = await window.send('POST', `/api/days/${NEVER_KEPT}/resend?journal=${journal}`, {});
    expect([refused.status, refused.json()['code']]).toEqual([403, 'manager_required']);
    await newActsOf(MANAGER);

    const page = await enterAs(gateway, MANAGER, `/days/${NEVER_KEPT}`);
    await button(page, resend).waitFor();
    await assertLooksRight(page, 'day that differs, desktop');
    await button(page, resend).click();
    await page
      .getByRole('main')
      .getByText(say(en.day.sentMissing_other, { n: 2 }))
      .waitFor();
    expect(await newActsOf(MANAGER)).toEqual([expect.stringMatching(/^send again 2 records: \{"kind":"missing"/)]);
    await settle();
    await verdict(page, en.verdict.waiting).waitFor();
    await button(page, en.day.checkNow).click();
    await page
      .getByRole('main')
      .getByText(say(en.day.byIds_other, { n: 5 }))
      .waitFor();
    expect((await entries(NEVER_KEPT))[0]).toBe('complete');
    await goTo(page, 'activity');
    const act = say(en.activity.sendMissing_other, { who: en.activity.you, n: 2, store: 'Bakery' });
    await page.getByRole('main').getByText(act).waitFor();
  });

  test('a declared total is compared with the day, and withdrawn', async () => {
    const page = await enterAs(shop.gateway, CLERK, `/days/${DECLARED}`);
    await newActsOf(CLERK);
    const listDeclared = () => shop.gateway.store.declared.list({ journalId: journal, from: DECLARED, to: DECLARED });
    const declared = page.getByRole('region', { name: en.day.declaredTitle });
    await declared.getByText(en.day.nothingDeclared).waitFor();
    await button(page, en.day.declareDo).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(en.day.count).fill('a few');
    await button(dialog, en.day.declareSave).click();
    await dialog.getByText(en.day.countForm).waitFor();
    await dialog.getByLabel(en.day.count).fill('6');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('main')
      .getByText(say(en.reason.declared_more_other, { n: 2 }))
      .waitFor();
    await verdict(page, en.verdict.differs).waitFor();
    await declared.getByText(say(en.day.moreDeclared, { n: 2 })).waitFor();
    await page
      .getByRole('table')
      .getByText(say(en.day.moreDeclared, { n: 2 }))
      .waitFor();
    expect(await listDeclared()).toMatchObject([{ records: 6, source: 'typed', actor: CLERK, type: null, till: null }]);

    await declared.getByRole('button', { name: like(en.day.takeBack) }).click();
    await declared.getByText(en.day.takenBack).waitFor();
    await verdict(page, en.verdict.waiting).waitFor();
    expect(await listDeclared()).toEqual([]);
    await button(declared, en.day.undo).click();
    await verdict(page, en.verdict.differs).waitFor();
    expect(await listDeclared()).toMatchObject([{ records: 6 }]);
    const acts = [`${DECLARED}: 6`, `${DECLARED}: taken back`, `${DECLARED}: 6`];
    expect(await newActsOf(CLERK)).toEqual(acts.map((detail) => `declare totals ${detail}`));
    await goTo(page, 'activity');
    const about = { who: en.activity.you, store: 'Bakery', day: shortDate(DECLARED) };
    await page.getByRole('main').getByText(say(en.activity.takeBackTotal, about)).waitFor();
    await page
      .getByText(say(en.activity.declareTotal, { ...about, n: 6 }))
      .first()
      .waitFor();
  });

  test('a file of totals is previewed, shows its faults by line, and is imported once it is right', async () => {
    const page = await enterAs(shop.gateway, CLERK, `/days?month=${APART}`);
    await newActsOf(CLERK);
    const [first, second] = IMPORTED;
    const listDeclared = () => shop.gateway.store.declared.list({ journalId: journal, from: first, to: second });
    await page.getByRole('link', { name: en.days.import }).click();
    const dialog = page.getByRole('main');
    await dialog.getByLabel(en.importing.orPaste).fill(`day;till;sales\n${first};Counter;2\n${second};Cellar;many\n`);
    await button(dialog, en.importing.look).click();
    await dialog
      .getByText(like(en.importing.line, { line: 3, what: say(en.declaredFault.till_unknown, { value: 'Cellar' }) }))
      .waitFor();
    await dialog
      .getByText(like(en.importing.line, { line: 3, what: say(en.declaredFault.count_unreadable, { value: 'many' }) }))
      .waitFor();
    await assertLooksRight(page, 'import with faults, desktop');
    expect(await listDeclared()).toEqual([]);

    const buffer = Buffer.from(`day;till;sales;sales\n${first};Counter;2;7\n${second};Counter;4;7\n`);
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      button(dialog, en.importing.choose).click(),
    ]);
    await chooser.setFiles({ name: 'totals.csv', mimeType: 'text/csv', buffer });
    await dialog.getByText(like(en.declaredFault.columns_unknown)).waitFor();
    await dialog.getByLabel(en.importing.count, { exact: true }).selectOption({ index: 3 });
    await dialog.getByRole('cell', { name: shortDate(second) }).waitFor();
    await assertLooksRight(page, 'import, desktop');
    expect(await listDeclared()).toEqual([]);
    await button(dialog, say(en.importing.do_other, { n: 2 })).click();
    await dialog.getByText(say(en.importing.done_other, { n: 2 })).waitFor();
    const imported = { source: 'file', actor: CLERK, till: 'Counter' };
    expect(await listDeclared()).toMatchObject([
      { date: first, records: 2, ...imported },
      { date: second, records: 4, ...imported },
    ]);
    // this link shows the month of the imported totals
    await dialog.getByRole('link', { name: en.importing.toDays }).last().click();
    const differing = page.getByRole('link', {
      name: new RegExp(`^${fullDate(second)}.*${say(en.reasonShort.declared_more, { n: 1 })}`),
    });
    await differing.click();
    await page
      .getByRole('main')
      .getByText(say(en.reason.declared_more_one, { n: 1 }))
      .waitFor();
    expect(await newActsOf(CLERK)).toEqual([`declare totals ${first} … ${second}: 2 totals`]);
    await goTo(page, 'activity');
    const days = say(en.activity.days, { from: shortDate(first), to: shortDate(second) });
    await page
      .getByText(say(en.activity.declareTotals, { who: en.activity.you, n: 2, store: 'Bakery', days }))
      .waitFor();
  });

  test('a day is signed off with a note; a late sale re-opens it, and the signature is withdrawn', async () => {
    const page = await enterAs(shop.gateway, CLERK, `/days/${SIGNED}`);
    await newActsOf(CLERK);
    await button(page, en.day.checkNow).click();
    await verdict(page, en.verdict.complete).waitFor();
    await button(page, en.day.signOff).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel(en.day.name);
    expect(await name.inputValue()).toBe(CLERK);
    await name.fill('');
    await button(dialog, en.day.signOffDo).click();
    await dialog.getByText(en.day.nameMissing).waitFor();
    await name.fill('Ann Baker');
    await dialog.getByLabel(en.day.note).fill('Counted twice');
    await sellOn(SIGNED, ['S-meanwhile']);
    await button(dialog, en.day.signOffDo).click();
    await dialog.getByText(en.problem.day_changed).waitFor();
    await button(dialog, en.app.cancel).click();
    await verdict(page, en.verdict.waiting).waitFor();
    await button(page, en.day.checkNow).click();
    await verdict(page, en.verdict.complete).waitFor();

    await button(page, en.day.signOff).click();
    await name.fill('Ann Baker');
    await dialog.getByLabel(en.day.note).fill('Counted twice');
    await button(dialog, en.day.signOffDo).click();
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('main')
      .getByText(like(en.day.signed, { name: 'Ann Baker' }))
      .waitFor();
    await page
      .getByRole('main')
      .getByText(say(en.day.quoted, { note: 'Counted twice' }))
      .first()
      .waitFor();
    expect(await button(page, en.day.signOff).count()).toBe(0);
    expect((await entries(SIGNED))[0]).toBe('signed off');

    await sellOn(SIGNED, ['S-late']);
    await page.reload(); // needed, because the page refetches only the counts of sales, twice a minute
    await page
      .getByRole('main')
      .getByText(like(en.day.reopened, { name: 'Ann Baker' }))
      .waitFor();
    await button(page, en.day.signOff).waitFor();
    await page.getByRole('link', { name: written(APART, { month: 'long', year: 'numeric' }) }).click();
    await page.getByRole('link', { name: new RegExp(`^${fullDate(SIGNED)}.*${en.days.reopened}$`) }).click();

    await button(page, en.day.unsign).click();
    await button(dialog, en.day.unsignDo).click();
    await dialog.getByText(en.day.noteMissing).waitFor();
    await dialog.getByLabel(en.day.note).fill('One came late');
    await button(dialog, en.day.unsignDo).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('main').getByText(like(en.day.reopened)).waitFor({ state: 'detached' });
    const history = page.getByRole('region', { name: en.day.history });
    await history
      .getByText(`${say(en.day.historyUnsigned, { name: CLERK })} ${say(en.day.quoted, { note: 'One came late' })}`)
      .waitFor();
    await history.getByText(like(en.day.historySigned, { name: 'Ann Baker' })).waitFor();
    expect((await entries(SIGNED)).filter((each) => each.includes('sign'))).toEqual([
      'signature taken back',
      'signed off',
    ]);
    expect(await newActsOf(CLERK)).toEqual([
      `sign off day ${SIGNED}: Ann Baker, Counted twice`,
      `take back signature ${SIGNED}: Ann, One came late`,
    ]);
    await goTo(page, 'activity');
    const about = { who: en.activity.you, store: 'Bakery', day: shortDate(SIGNED) };
    await page
      .getByRole('main')
      .getByText(say(en.activity.signOffSaid, { ...about, said: 'Ann Baker, Counted twice' }))
      .waitFor();
    await page
      .getByRole('main')
      .getByText(say(en.activity.takeBackSignatureSaid, { ...about, said: 'One came late' }))
      .waitFor();
  });

  describe('on paper and on every screen', () => {
    const LONG = 'a-very-long-id-'.repeat(12);

    /** Makes a day with more details than fit on a screen: tills, missing sales, and sales that were only declared. */
    beforeAll(async () => {
      const { gateway } = shop;
      for (let i = 1; i <= 20; i++) {
        const { secret } = await gateway.makeKey({
          mode: 'production',
          label: `Till ${i} at the ${'long '.repeat(i)}counter`,
        });
        await sellOn(CROWDED, [`NEVER-${i}-${LONG}`, `C-${i}`], secret);
      }
      await settle();
      const ids = Array.from({ length: 40 }, (_, i) => `declared-${i}-${LONG}`);
      const total = { date: CROWDED, type: null, tillId: null, records: ids.length, ids };
      await gateway.store.declared.declare(journal, [total], { actor: 'Mia', source: 'file' });
      for (let n = 1; n <= 2; n++) {
        passSettleTime();
        await checkDays(CROWDED, `${WHOLE}-28`);
        await settle();
      }
    });

    test.each([
      ['with few details', SIGNED, 'day sheet'],
      ['with more details than fit', CROWDED, 'day sheet, crowded'],
    ])('the sheet of a day is one A4 page: %s', async (_, date, name) => {
      const page = await enterAs(shop.gateway, MANAGER, `/days/${date}`);
      await page.getByRole('heading', { name: fullDate(date) }).waitFor();
      await page.evaluate(() => (window.print = () => document.body.setAttribute('data-printed', '')));
      await button(page, en.day.print).click();
      await page.locator('[data-printed]').waitFor();
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      const [, width, height] = /\/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf) ?? [];
      expect([Math.round(Number(width)), Math.round(Number(height))]).toEqual([595, 842]);
      await page.setViewportSize({ width: 688, height: 1017 }); // the size of A4 without its margins
      await page.emulateMedia({ media: 'print' });
      const sheet = page.getByRole('article', { includeHidden: true });
      await sheet.getByText(en.printedPage.signature, { exact: true }).waitFor();
      expect(await sheet.innerText()).toContain(fullDate(date));
      expect(await page.getByRole('main').isVisible()).toBe(false);
      await keepPicture(page, name);
    });

    test.each([
      ['desktop', 'en-GB'],
      ['phone', 'en-GB'],
      ['phone', 'de-DE'],
    ] as const)('a month and a day look right by day and by night: %s, %s', async (look, locale) => {
      const words = locale === 'en-GB' ? en : de;
      const page = await enterAs(shop.gateway, MANAGER, `/days?month=${WHOLE}`, look, { locale });
      const see = async (name: string): Promise<void> => {
        const { scrollWidth, clientWidth } = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return { scrollWidth, clientWidth };
        });
        expect(scrollWidth, name).toBeLessThanOrEqual(clientWidth);
        if (locale !== 'en-GB') return keepPicture(page, `${name}, ${look}, ${locale}`);
        await assertLooksRight(page, `${name}, ${look}`);
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
        await (look === 'desktop' ? assertLooksRight : keepPicture)(page, `${name}, ${look}, dark`);
        await page.emulateMedia({ colorScheme: 'light' });
      };
      await page.getByRole('link', { name: say(words.tally.differs_one, { n: 1 }) }).waitFor();
      await see('month');
      await page.setViewportSize({ width: LOOKS[look].viewport.width, height: 4000 }); // high enough to show the whole page
      await page.goto(`${shop.gateway.consoleUrl}/days/${CROWDED}`);
      await page
        .getByRole('main')
        .getByText(say(words.reason.missing_upstream_other, { n: 20 }))
        .waitFor();
      await page.getByText(like(words.day.slept)).first().waitFor();
      await see('day');
    });
  });
});
